import { keccak_256 } from '@noble/hashes/sha3.js'
import { hex } from '@scure/base'
import { FrameError } from '../FrameError.ts'
import { type Address, type EthereumKey, toChecksum } from './ethereumKey.ts'
import { concat, decodeRlp, encodeRlp, type Item, numberBytes } from './rlp.ts'

/** Content of an unsigned transaction. Amounts are in wei, fees in wei per unit of gas. */
export type Transaction = {
  chainId: bigint
  nonce: bigint
  /** EIP-55; null creates a contract. */
  to: Address | null
  value: bigint
  data: Uint8Array
  gas: bigint
  maxFeePerGas: bigint
  /** Undefined for transaction types with a single gas price. */
  maxPriorityFeePerGas: bigint | undefined
  /** Addresses of the access list. */
  accessList: readonly Address[]
  /** Signs exactly the parsed transaction. Returns the signed transaction as hex with 0x. */
  sign(key: EthereumKey): string
}

/** Fields of each unsigned transaction type in serialization order (EIP-155, EIP-2930, EIP-1559). */
const kinds = {
  legacy: ['nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'chainId', 'none', 'none'],
  1: ['chainId', 'nonce', 'gasPrice', 'gas', 'to', 'value', 'data', 'accessList'],
  2: ['chainId', 'nonce', 'maxPriorityFee', 'maxFee', 'gas', 'to', 'value', 'data', 'accessList'],
} as const
type Kind = keyof typeof kinds
type Field = (typeof kinds)[Kind][number]

/** Transaction types whose effects the page cannot show to a user. */
const refusedKinds: Readonly<Record<number, string>> = {
  3: 'transactions with blobs (EIP-4844) are not signed here',
  4: 'transactions that hand an account over to a contract (EIP-7702) are not signed here',
}

/** Parses an unsigned Ethereum transaction: hex, with or without 0x. */
export function readTransaction(text: string): Transaction {
  const bytes = readBytes(text)
  const first = bytes[0] ?? 0
  const refusal = refusedKinds[first]
  if (refusal !== undefined) throw new FrameError(refusal)
  const kind: Kind | undefined = first >= 0xc0 ? 'legacy' : first === 1 || first === 2 ? first : undefined
  if (kind === undefined) throw new FrameError('this is no Ethereum transaction')
  const items = decodeRlp(kind === 'legacy' ? bytes : bytes.subarray(1))
  if (items instanceof Uint8Array) throw new FrameError('this is no Ethereum transaction')
  const names: readonly Field[] = kinds[kind]
  if (items.length !== names.length) throw wrongLength(kind, items.length)
  const take = (name: Field): Item => items[names.indexOf(name)] ?? new Uint8Array()
  const number = (name: Field): bigint => readNumber(take(name), name)
  const fee = number(kind === 2 ? 'maxFee' : 'gasPrice')
  const chainId = number('chainId')
  if (chainId === 0n) throw new FrameError('the transaction names no chain: it would be valid on every one')
  if (kind === 'legacy' && (readNumber(items[7], 'r') !== 0n || readNumber(items[8], 's') !== 0n))
    throw new FrameError('the transaction is signed already')
  return {
    chainId,
    nonce: number('nonce'),
    to: readAddress(take('to')),
    value: number('value'),
    data: readText(take('data'), 'data'),
    gas: number('gas'),
    maxFeePerGas: fee,
    maxPriorityFeePerGas: kind === 2 ? number('maxPriorityFee') : undefined,
    accessList: kind === 'legacy' ? [] : readAccessList(take('accessList')),
    sign(key) {
      const { r, s, yParity } = key.sign(keccak_256(bytes))
      const signature = [withoutZeros(r), withoutZeros(s)]
      const signed =
        kind === 'legacy'
          ? encodeRlp([...items.slice(0, 6), numberBytes(chainId * 2n + 35n + BigInt(yParity)), ...signature])
          : concat([Uint8Array.of(kind), encodeRlp([...items, numberBytes(BigInt(yParity)), ...signature])])
      return `0x${hex.encode(signed)}`
    },
  }
}

function readBytes(text: string): Uint8Array {
  const digits = text.replace(/^0x/, '').toLowerCase()
  if (/^(?:[0-9a-f]{2})+$/.test(digits)) return hex.decode(digits)
  throw new FrameError('the transaction is not hex')
}

function wrongLength(kind: Kind, length: number): FrameError {
  if (kind === 'legacy' && length === 6)
    return new FrameError('the transaction names no chain: it would be valid on every one')
  if (kind !== 'legacy' && length === kinds[kind].length + 3) return new FrameError('the transaction is signed already')
  return new FrameError('this is no unsigned Ethereum transaction')
}

function readText(item: Item | undefined, name: string): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw new FrameError(`the transaction's ${name} is a list`)
}

function readNumber(item: Item | undefined, name: string): bigint {
  const bytes = readText(item, name)
  if (bytes.length > 32 || bytes[0] === 0) throw new FrameError(`the transaction's ${name} is no number`)
  return bytes.length === 0 ? 0n : BigInt(`0x${hex.encode(bytes)}`)
}

function readAddress(item: Item | undefined): Address | null {
  const bytes = readText(item, 'to')
  if (bytes.length === 0) return null
  if (bytes.length !== 20) throw new FrameError("the transaction's to is no address")
  return toChecksum(hex.encode(bytes))
}

function readAccessList(item: Item): Address[] {
  const wrong = () => new FrameError("the transaction's access list is malformed")
  if (item instanceof Uint8Array) throw wrong()
  return item.map((entry) => {
    if (entry instanceof Uint8Array || entry.length !== 2) throw wrong()
    const [address, slots] = entry
    const isList = slots !== undefined && !(slots instanceof Uint8Array)
    if (!isList || !slots.every((slot) => slot instanceof Uint8Array && slot.length === 32)) throw wrong()
    const read = readAddress(address)
    if (read === null) throw wrong()
    return read
  })
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0)
  return first < 0 ? new Uint8Array() : bytes.subarray(first)
}
