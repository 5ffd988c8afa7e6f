import { expect, test } from 'vitest'
import { latchkeyDev } from '../core/chains/latchkeyDev.ts'
import { latchkeyDevnet } from './latchkeyDevnet.ts'

test('returns chain, key and endpoints of the local devnet', () => {
  const { chain, apiKey, endpoints } = latchkeyDevnet()
  expect(chain).toEqual(latchkeyDev)
  expect([apiKey, endpoints.signerApiUrl]).toEqual(['latchkey-dev', 'http://localhost:4101'])
})

test('accepts url and chainId', () => {
  const { chain, endpoints } = latchkeyDevnet('http://localhost:5100/', { chainId: 31338 })
  expect([chain.id, endpoints.signerApiUrl]).toEqual([31338, 'http://localhost:5101'])
  expect(chain.rpcUrls.default.http).toEqual(['http://localhost:5109'])
})

test('refuses a URL without a port', () => {
  for (const url of ['http://localhost', 'localhost', ''])
    expect(() => latchkeyDevnet(url)).toThrow(expect.objectContaining({ code: 'ARGUMENT_INVALID' }))
})
