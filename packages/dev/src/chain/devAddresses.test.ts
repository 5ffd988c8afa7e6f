import { addressesIn } from '@latchkey/testkit/contracts/addressesIn'
import { getAddress, getContractAddress } from 'viem'
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
} from 'viem/account-abstraction'
import { expect, test } from 'vitest'
import { devAddresses } from './devAddresses.ts'

test('uses the public entry points and checksummed addresses', () => {
  expect(devAddresses.entryPoints).toEqual({
    '0.6.0': entryPoint06Address,
    '0.7.0': entryPoint07Address,
    '0.8.0': entryPoint08Address,
    '0.9.0': entryPoint09Address,
  })
  for (const address of addressesIn(devAddresses)) expect(address).toBe(getAddress(address.toLowerCase()))
})

test("expects a factory's implementation to be its first contract", () => {
  const { lightAccount, multiOwnerLightAccount } = devAddresses
  for (const { factory, implementation } of [...Object.values(lightAccount), ...Object.values(multiOwnerLightAccount)])
    expect(getContractAddress({ from: factory, nonce: 1n })).toBe(implementation)
})
