import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import type { ChainContracts } from '../../core/chains/types.ts'
import { predictModularAccountAddress } from './predictModularAccountAddress.ts'

const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test('predicts the published address', () => {
  expect(predictModularAccountAddress({ owners: [owner] })).toBe('0x2b697BF97E0a592641D9DEf8d604f86Fa7d488c7')
})

const chainWith = (latchkey: ChainContracts) => ({ ...foundry, custom: { latchkey } })

test('refuses a chain with another implementation', () => {
  const modularAccount = { factory: owner, implementation: owner } as const
  expect(() => predictModularAccountAddress({ owners: [owner], chain: chainWith({ modularAccount }) })).toThrow(
    expect.objectContaining({ code: 'FACTORY_NOT_FOUND' }),
  )
})
