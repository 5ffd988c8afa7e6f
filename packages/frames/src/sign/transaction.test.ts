import { hex } from '@scure/base'
import fc from 'fast-check'
import {
  bytesToHex,
  getAddress,
  type Hex,
  serializeTransaction,
  type TransactionSerializable,
  hashMessage as viemHash,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createEthereumKey, hashMessage } from './ethereumKey.ts'
import { readTransaction } from './transaction.ts'

const privateKey: Hex = `0x${'0c'.repeat(32)}`
const account = privateKeyToAccount(privateKey)
const key = createEthereumKey(hex.decode(privateKey.slice(2)))
const seed = Number(process.env.LATCHKEY_SEED)
console.log(`transactions: seed ${seed}`)

const amount = fc.oneof(fc.bigInt(0n, 300n), fc.bigInt(0n, 2n ** 200n))
const bytes = (length: { minLength: number; maxLength: number }) =>
  fc.uint8Array(length).map((data) => bytesToHex(data))
const address = bytes({ minLength: 20, maxLength: 20 }).map((text) => getAddress(text))
const common = {
  chainId: fc.integer({ min: 1, max: 2 ** 31 }),
  nonce: fc.integer({ min: 0, max: 2 ** 31 }),
  to: fc.option(address, { nil: null }),
  value: amount,
  data: bytes({ minLength: 0, maxLength: 300 }),
  gas: amount,
}
const accessList = fc.array(
  fc.record({ address, storageKeys: fc.array(bytes({ minLength: 32, maxLength: 32 }), { maxLength: 3 }) }),
  { maxLength: 3 },
)
const fees = fc.tuple(amount, amount).map(([tip, rest]) => ({ maxFeePerGas: tip + rest, maxPriorityFeePerGas: tip }))
const transactions: fc.Arbitrary<TransactionSerializable> = fc.oneof(
  fc.record({ ...common, type: fc.constant('legacy' as const), gasPrice: amount }),
  fc.record({ ...common, type: fc.constant('eip2930' as const), gasPrice: amount, accessList }),
  fc
    .tuple(fc.record({ ...common, type: fc.constant('eip1559' as const), accessList }), fees)
    .map(([rest, fee]) => ({ ...rest, ...fee })),
)

test('reads every kind of transaction and signs it as viem does', async () => {
  await fc.assert(
    fc.asyncProperty(transactions, async (transaction) => {
      const read = readTransaction(serializeTransaction(transaction))
      expect(read.sign(key)).toBe(await account.signTransaction(transaction))
      const { chainId, nonce, to = null, value, data, gas } = transaction
      expect([read.chainId, read.nonce, read.to, read.value, bytesToHex(read.data), read.gas]).toEqual([
        BigInt(chainId ?? 0),
        BigInt(nonce ?? 0),
        to,
        value,
        data,
        gas,
      ])
      const { gasPrice, maxFeePerGas = gasPrice, maxPriorityFeePerGas } = transaction
      expect([read.maxFeePerGas, read.maxPriorityFeePerGas]).toEqual([maxFeePerGas, maxPriorityFeePerGas])
      expect(read.accessList).toEqual((transaction.accessList ?? []).map((entry) => entry.address))
    }),
    { seed, numRuns: 200 },
  )
})

test('reads changed bytes as another transaction or refuses them', () => {
  fc.assert(
    fc.property(transactions, fc.nat(), fc.nat(255), (transaction, at, byte) => {
      const changed = hex.decode(serializeTransaction(transaction).slice(2))
      changed[at % changed.length] = byte
      let read: ReturnType<typeof readTransaction>
      try {
        read = readTransaction(hex.encode(changed))
      } catch (error) {
        expect(error).toMatchObject({ name: 'FrameError' })
        return
      }
      // Serializing the displayed fields must return the same bytes.
      const { chainId, nonce, to, value, data, gas, maxFeePerGas, maxPriorityFeePerGas } = read
      const fields = { nonce: Number(nonce), to, value, data: bytesToHex(data), gas, chainId: Number(chainId) }
      if (chainId > 2n ** 50n || nonce > 2n ** 50n || read.accessList.length > 0 || maxFeePerGas >= 2n ** 256n) return
      if (maxPriorityFeePerGas !== undefined && maxPriorityFeePerGas > maxFeePerGas) return
      const gasPrice = maxFeePerGas
      const kinds: TransactionSerializable[] = [
        { ...fields, type: 'legacy', gasPrice },
        { ...fields, type: 'eip2930', gasPrice },
        { ...fields, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n },
      ]
      const again = serializeTransaction(kinds[(changed[0] ?? 0) > 2 ? 0 : (changed[0] ?? 0)] ?? fields)
      expect(again).toBe(bytesToHex(changed))
    }),
    { seed, numRuns: 2000 },
  )
})

const plain = { chainId: 1, nonce: 1, to: account.address, value: 1n, gas: 21_000n } as const

test('refuses transactions that a person cannot judge and signed ones', async () => {
  const eip1559 = { ...plain, type: 'eip1559', maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } as const
  const legacy = { ...plain, type: 'legacy', gasPrice: 1n } as const
  const { chainId: _, ...withoutChain } = legacy
  const withoutChainId = serializeTransaction(eip1559).replace(
    /^(0x02(?:f8..|[c-f].))01/,
    (_all, start) => `${start}80`,
  )
  for (const [text, why] of [
    [await account.signTransaction(eip1559), 'signed already'],
    [await account.signTransaction(legacy), 'signed already'],
    [serializeTransaction(withoutChain), 'valid on every one'],
    [withoutChainId, 'valid on every one'],
    [serializeTransaction({ ...eip1559, type: 'eip7702', authorizationList: [] }), 'EIP-7702'],
    [`0x03${serializeTransaction(eip1559).slice(4)}`, 'EIP-4844'],
    [`0x05${serializeTransaction(eip1559).slice(4)}`, 'no Ethereum transaction'],
    [`${serializeTransaction(eip1559)}00`, 'canonical'],
    ['0x', 'not hex'],
    ['hello', 'not hex'],
    ['0x80', 'no Ethereum transaction'],
    ['0xc0', 'no unsigned Ethereum transaction'],
    [`0x02${'c1'.repeat(50)}c0`, 'canonical'],
  ] as const)
    expect(() => readTransaction(text), text).toThrow(why)
})

test('agrees with viem on address and message hash', () => {
  expect(key.address).toBe(account.address)
  for (const message of ['', 'hello', 'Zoë 🔑\nsecond line', 'x'.repeat(1000), '\ud800'])
    expect(bytesToHex(hashMessage(message))).toBe(viemHash(message))
})

test('refuses invalid and wiped keys', () => {
  for (const wrong of [new Uint8Array(32), new Uint8Array(31).fill(1), new Uint8Array(32).fill(255)])
    expect(() => createEthereumKey(wrong)).toThrow('no private key')
  const wiped = createEthereumKey(new Uint8Array(32).fill(1))
  wiped.wipe()
  expect(() => wiped.sign(new Uint8Array(32))).toThrow('was cleared')
})
