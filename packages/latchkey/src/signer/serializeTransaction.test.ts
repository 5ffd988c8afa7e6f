import fc from 'fast-check'
import { serializeTransaction as byViem, type Hex, type TransactionSerializable, toHex } from 'viem'
import { expect, test } from 'vitest'
import { serializeTransaction } from './serializeTransaction.ts'

const seed = Number(process.env.LATCHKEY_SEED)
console.info(`transactions: LATCHKEY_SEED=${seed}`)

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((value): Hex => toHex(value))
const amount = fc.oneof(fc.constantFrom(0n, 1n, 127n, 128n, 255n, 256n), fc.bigInt(0n, 2n ** 128n))
const accessList = fc.array(fc.record({ address: bytes(20), storageKeys: fc.array(bytes(32), { maxLength: 3 }) }), {
  maxLength: 3,
})
const signature = fc.record({
  r: fc.oneof(
    bytes(32),
    bytes(30).map((short): Hex => `0x0000${short.slice(2)}`),
  ),
  s: bytes(32),
  yParity: fc.constantFrom(0, 1),
})
const common = {
  nonce: fc.nat(),
  gas: amount,
  to: fc.option(bytes(20), { nil: undefined }),
  value: amount,
  data: fc.option(
    fc.uint8Array({ minLength: 1, maxLength: 300 }).map((value): Hex => toHex(value)),
    { nil: undefined },
  ),
}
const fees = { maxFeePerGas: fc.bigInt(2n ** 65n, 2n ** 66n), maxPriorityFeePerGas: fc.bigInt(0n, 2n ** 64n) }
const chainId = fc.integer({ min: 1, max: 2 ** 31 })
const authorization = fc
  .tuple(fc.record({ address: bytes(20), chainId, nonce: fc.nat() }), signature)
  .map(([given, signed]) => ({ ...given, ...signed }))
const transactions = fc.oneof(
  fc.record({
    type: fc.constant('legacy' as const),
    gasPrice: amount,
    chainId: fc.option(chainId, { nil: undefined }),
    ...common,
  }),
  fc.record({ type: fc.constant('eip2930' as const), gasPrice: amount, chainId, accessList, ...common }),
  fc.record({ type: fc.constant('eip1559' as const), chainId, accessList, ...fees, ...common }),
  fc.record({ chainId, ...fees, ...common }),
  fc.record({ gasPrice: amount, chainId, ...common }),
  fc.record({
    type: fc.constant('eip7702' as const),
    chainId,
    ...fees,
    ...common,
    authorizationList: fc.array(authorization, { minLength: 1, maxLength: 2 }),
  }),
)

test('serializes every kind of transaction as viem does, with and without a signature', () => {
  fc.assert(
    fc.property(transactions, fc.option(signature, { nil: undefined }), (transaction, signed) => {
      const given = transaction as TransactionSerializable
      // Signatures with an r or s of zero are invalid.
      fc.pre(!signed || (BigInt(signed.r) > 0n && BigInt(signed.s) > 0n))
      // For legacy transactions, viem expects a recovery id of 27 or 28, without the chain of EIP-155.
      const v = BigInt(27 + (signed?.yParity ?? 0))
      expect(serializeTransaction(given, signed)).toBe(byViem(given, signed && { ...signed, v }))
    }),
    { seed, numRuns: 1_000 },
  )
})

test('explains why it cannot serialize', () => {
  const wrong: [object, string][] = [
    [{}, 'It has no `type`'],
    [{ type: 'eip1559' }, 'no `chainId`'],
    [{ type: 'legacy', to: '0x12' }, '"0x12" is not an address'],
    [{ type: 'eip4844', chainId: 1 }, 'blob'],
    [{ blobs: [], chainId: 1 }, 'blob'],
  ]
  for (const [transaction, why] of wrong) {
    expect(() => serializeTransaction(transaction as TransactionSerializable)).toThrow(why)
  }
})
