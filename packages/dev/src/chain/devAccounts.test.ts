import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { devAccounts, devMnemonic } from './devAccounts.ts'

test('lists the accounts of the published mnemonic', () => {
  const derived = devAccounts.map((_, addressIndex) => {
    const account = mnemonicToAccount(devMnemonic, { addressIndex })
    return { address: account.address, privateKey: toHex(account.getHdKey().privateKey ?? new Uint8Array()) }
  })
  expect(devAccounts).toEqual(derived)
})
