import { startTestCustody } from '@latchkey/testkit/custody'
import {
  concatHex,
  fromRlp,
  type Hex,
  hashMessage,
  hexToBytes,
  keccak256,
  recoverAddress,
  recoverTransactionAddress,
  serializeTransaction,
  sha256,
  type TransactionSerializable,
  type TransactionSerialized,
  toRlp,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { readMacKey } from '../../macKey.ts'
import { storePrivateKey } from '../../wallets/privateKeys.ts'

const custody = await startTestCustody()
const user = await custody.createUser()
afterAll(() => custody.close())

const to = `0x${'11'.repeat(20)}` as const
const fees = { maxFeePerGas: 3n, maxPriorityFeePerGas: 2n }
const base = { chainId: 31_337, to, nonce: 7, gas: 21_000n, value: 5n, data: '0x1234' } as const
const accessList = [{ address: to, storageKeys: [`0x${'22'.repeat(32)}`] }] as const
const other = privateKeyToAccount(generatePrivateKey())
const versionedHash = `0x01${sha256('0x01').slice(4)}` as const
const sidecar = {
  blob: `0x${'00'.repeat(64)}`,
  commitment: `0x${'33'.repeat(48)}`,
  proof: `0x${'44'.repeat(48)}`,
} as const

const transactions: Record<string, TransactionSerializable> = {
  legacy: { ...base, type: 'legacy', gasPrice: 9n },
  'legacy before EIP-155': { to, nonce: 0, gas: 21_000n, value: 1n, type: 'legacy', gasPrice: 9n },
  'deployment without value': { chainId: 1, nonce: 0, gas: 90_000n, data: '0x60006000', type: 'eip1559', ...fees },
  eip2930: { ...base, type: 'eip2930', gasPrice: 9n, accessList },
  eip1559: { ...base, type: 'eip1559', ...fees, accessList },
  'eip4844 without blobs': {
    ...base,
    type: 'eip4844',
    ...fees,
    maxFeePerBlobGas: 4n,
    blobVersionedHashes: [versionedHash],
    sidecars: false,
  },
  eip4844: {
    ...base,
    type: 'eip4844',
    ...fees,
    maxFeePerBlobGas: 4n,
    blobVersionedHashes: [versionedHash],
    sidecars: [sidecar],
  },
}

const sign = (unsignedTransaction: string, changes: object = {}, key = user.key) =>
  custody.call(
    'submit/sign_transaction',
    custody.activity('ACTIVITY_TYPE_SIGN_TRANSACTION_V2', user.orgId, {
      signWith: user.address,
      type: 'TRANSACTION_TYPE_ETHEREUM',
      unsignedTransaction,
      ...changes,
    }),
    key,
  )

/** Compares byte by byte with viem's signer, since both use RFC 6979 nonces. */
test('signs every transaction type', async () => {
  const privateKey = generatePrivateKey()
  const account = privateKeyToAccount(privateKey)
  const { store, deps } = custody
  const { keyEncryption } = deps
  const sealer = { keyEncryption, macKey: await readMacKey(store.db, keyEncryption) }
  await storePrivateKey(store.db, sealer, { orgId: user.orgId, name: 'k', privateKey: hexToBytes(privateKey) })
  const authorization = await account.signAuthorization({ address: to, chainId: 31_337, nonce: 1 })
  const eip7702 = { ...base, type: 'eip7702', ...fees, authorizationList: [authorization] } as const
  const all: typeof transactions = { ...transactions, eip7702 }
  for (const [name, transaction] of Object.entries(all)) {
    const unsigned = serializeTransaction(transaction)
    const { status, body } = await sign(unsigned, { signWith: account.address })
    expect([status, body.message], name).toEqual([200, undefined])
    const { signedTransaction } = body.activity.result.signTransactionResult
    expect(`0x${signedTransaction}`, name).toBe(await account.signTransaction(transaction))
    const serializedTransaction = `0x${signedTransaction}` as TransactionSerialized
    if (transaction.type !== 'eip4844')
      expect(await recoverTransactionAddress({ serializedTransaction }), name).toBe(account.address)
  }
})

test('refuses texts that are not unsigned Ethereum transactions', async () => {
  const eip1559 = serializeTransaction(transactions.eip1559 as TransactionSerializable)
  const signed = await other.signTransaction(transactions.eip1559 as TransactionSerializable)
  const legacy = await other.signTransaction(transactions.legacy as TransactionSerializable)
  // The nonce has a leading zero byte, which RLP forbids.
  const fields = fromRlp(`0x${eip1559.slice(4)}`, 'hex') as Hex[]
  const padded = concatHex([
    '0x02',
    toRlp(fields.map((field, index) => (index === 1 ? concatHex(['0x00', field]) : field))),
  ])
  const cases: [string, object, string][] = [
    ['0x', {}, 'unsignedTransaction'],
    ['hello', {}, 'unsignedTransaction'],
    ['0x00', {}, 'not an unsigned Ethereum transaction'],
    ['0x02c0', {}, 'not an unsigned Ethereum transaction'],
    ['0x7ec0', {}, 'not an unsigned Ethereum transaction'],
    [eip1559.slice(0, -2), {}, 'not an unsigned Ethereum transaction'],
    [padded, {}, 'not in its one canonical encoding'],
    [signed, {}, 'signed already'],
    [legacy, {}, 'signed already'],
    [eip1559, { type: 'TRANSACTION_TYPE_SOLANA' }, 'type'],
    [eip1559, { signWith: 'x' }, 'must be an Ethereum address or the id of a private key'],
  ]
  for (const [unsigned, changes, text] of cases) {
    const { status, body } = await sign(unsigned, changes)
    expect([status, body.code], `${text} ${unsigned}`).toEqual([400, 3])
    expect(body.message).toContain(text)
  }
})

const signAll = (payloads: unknown, changes: object = {}) =>
  custody.call(
    'submit/sign_raw_payloads',
    custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOADS', user.orgId, {
      signWith: user.address,
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
      payloads,
      ...changes,
    }),
    user.key,
  )

test('signs several payloads at once, all or none', async () => {
  const hashes = ['a', 'b', 'c'].map((text) => hashMessage(text))
  const { body } = await signAll(hashes)
  const { signatures } = body.activity.result.signRawPayloadsResult as { signatures: Record<string, string>[] }
  expect(signatures).toHaveLength(3)
  for (const [index, { r, s, v }] of signatures.entries()) {
    const signature: Hex = `0x${r}${s}${v === '00' ? '1b' : '1c'}`
    expect(await recoverAddress({ hash: hashes[index] as Hex, signature })).toBe(user.address)
  }
  const texts = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' }
  const [first] = (await signAll(['hello'], texts)).body.activity.result.signRawPayloadsResult.signatures
  const signature: Hex = `0x${first.r}${first.s}${first.v === '00' ? '1b' : '1c'}`
  expect(await recoverAddress({ hash: keccak256('0x68656c6c6f'), signature })).toBe(user.address)
  for (const payloads of [[], Array(101).fill(hashes[0]), [hashes[0], '0x12'], 'x'])
    expect(await signAll(payloads)).toMatchObject({ status: 400, body: { code: 3 } })
})
