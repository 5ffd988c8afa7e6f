import { vectors } from '@latchkey/testkit/signer/vectors'
import { recoverTransactionAddress, recoverTypedDataAddress, verifyMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hashAuthorization } from 'viem/utils'
import { expect, test } from 'vitest'
import { createViemAccount } from './signing.ts'

const key = privateKeyToAccount(`0x${vectors.apiKeyStamp.privateKey}`)
const account = createViemAccount({ orgId: 'o', userId: 'u', address: key.address }, ({ hash = '0x' }) =>
  key.sign({ hash }),
)

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

test('signs an authorization by its content only, and refuses one that is valid on every chain', async () => {
  const signables: Parameters<Parameters<typeof createViemAccount>[1]>[0][] = []
  const recording = createViemAccount({ orgId: 'o', userId: 'u', address: key.address }, async (signable) => {
    signables.push(signable)
    const { payload } = signable.content ?? { payload: '{}' }
    return key.sign({ hash: hashAuthorization(JSON.parse(payload)) })
  })
  const request = { contractAddress: '0x69007702764179f14F51cdce752f4f775d74E139', chainId: 1, nonce: 3 } as const
  const signed = await recording.signAuthorization?.(request)
  expect(signed).toEqual({ ...(await key.signAuthorization(request)), v: undefined })
  expect(signables).toEqual([
    {
      content: {
        encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
        hashFunction: 'HASH_FUNCTION_NO_OP',
        payload: JSON.stringify({ address: request.contractAddress, chainId: 1, nonce: 3 }),
      },
    },
  ])
  await expect(recording.signAuthorization?.({ ...request, chainId: 0 })).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
  })
  expect(signables).toHaveLength(1)
})

test('returns a whole signed transaction', async () => {
  const transaction = { chainId: 1, nonce: 3, gas: 21_000n, maxFeePerGas: 2n, to: key.address, value: 1n } as const
  const serialized = await account.signTransaction(transaction)
  expect(serialized).toBe(await key.signTransaction(transaction))
  expect(await recoverTransactionAddress({ serializedTransaction: serialized as `0x02${string}` })).toBe(key.address)
})
