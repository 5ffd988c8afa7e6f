import { expect, test } from 'vitest'
import { predictLightAccountAddress } from './predictLightAccountAddress.ts'

const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test('predicts the published addresses of every version', () => {
  const published = [
    ['v1.0.1', 0n, '0xCF43F401bba7e23793eAa23d92a872C835505B0e'],
    ['v1.0.1', 1n, '0x99aEC4ebb868C1C715503339E30e9b04A8D7C16E'],
    ['v1.0.2', 0n, '0xDec511Bb2610966340dB164c6e948489B445bA9b'],
    ['v1.0.2', 1n, '0x381D954bE6B68BbEce0e873Cac92e7FFe60fd22D'],
    ['v1.1.0', 0n, '0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6'],
    ['v1.1.0', 1n, '0xBDB872C4FBe1c911980e36a5228914B4B51BF7ec'],
    ['v2.0.0', 0n, '0x11c50cCe08Ff4ca8294592E282442a3f0A38cFd9'],
    ['v2.0.0', 1n, '0xf35aBA8E15C6C28aE0b52894767f771df18E9556'],
  ] as const
  for (const [version, salt, address] of published) {
    expect(predictLightAccountAddress({ owner, salt, version })).toBe(address)
  }
})

test('predicts for v1.1.0 and salt 0 by default', () => {
  expect(predictLightAccountAddress({ owner })).toBe('0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6')
})

test('accepts factoryAddress and implementationAddress', () => {
  // LightAccount 1.0.1 uses the same proxy, but another factory. Its published address is an independent check of the
  // formula.
  const address = predictLightAccountAddress({
    owner,
    factoryAddress: '0x000000893A26168158fbeaDD9335Be5bC96592E2',
    implementationAddress: '0xc1b2fc4197c9187853243e6e4eb5a4af8879a1c0',
  })
  expect(address).toBe('0xCF43F401bba7e23793eAa23d92a872C835505B0e')
})
