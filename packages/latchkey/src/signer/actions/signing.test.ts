import { vectors } from '@latchkey/testkit/signer/vectors'
import { recoverTransactionAddress, recoverTypedDataAddress, verifyMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createViemAccount } from './signing.ts'

const key = privateKeyToAccount(`0x${vectors.apiKeyStamp.privateKey}`)
const account = createViemAccount({ orgId: 'o', userId: 'u', address: key.address }, ({ hash }) => key.sign({ hash }))

test('signs messages and typed data by the address', async () => {
  expect([account.address, account.source, account.type]).toEqual([key.address, 'alchemy-signer', 'local'])
  for (const message of ['hello', { raw: '0x0102' }] as const) {
    const signature = await account.signMessage({ message })
    expect(await verifyMessage({ address: key.address, message, signature })).toBe(true)
    expect(signature).toBe(await key.signMessage({ message }))
  }
  const typedData = {
    domain: { name: 'T', chainId: 1 },
    types: { Note: [{ name: 'text', type: 'string' }] },
    primaryType: 'Note',
    message: { text: 'x' },
  } as const
  const signature = await account.signTypedData(typedData)
  expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(key.address)
})

test('returns a whole signed transaction', async () => {
  const transaction = { chainId: 1, nonce: 3, gas: 21_000n, maxFeePerGas: 2n, to: key.address, value: 1n } as const
  const serialized = await account.signTransaction(transaction)
  expect(serialized).toBe(await key.signTransaction(transaction))
  expect(await recoverTransactionAddress({ serializedTransaction: serialized as `0x02${string}` })).toBe(key.address)
})
