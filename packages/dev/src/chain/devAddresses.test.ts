import { getAddress } from 'viem'
import { entryPoint06Address, entryPoint07Address } from 'viem/account-abstraction'
import { expect, test } from 'vitest'
import { devAddresses } from './devAddresses.ts'

test('default', () => {
  expect(devAddresses.entryPoints).toEqual({ '0.6.0': entryPoint06Address, '0.7.0': entryPoint07Address })
  const { lightAccount, lightAccountV2, paymasters, demo } = devAddresses
  const accounts = [...Object.values(lightAccount['v1.1.0']), ...Object.values(lightAccountV2)]
  for (const address of [...accounts, ...Object.values(paymasters), demo]) {
    expect(address).toBe(getAddress(address.toLowerCase()))
  }
})
