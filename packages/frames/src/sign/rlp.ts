import { FrameError } from '../FrameError.ts'

/** RLP item (Ethereum yellow paper, appendix B): bytes, or a list of items. */
export type Item = Uint8Array | readonly Item[]

/** Maximum nesting, deeper than in any transaction. */
const maxDepth = 4

/** Decodes bytes that contain exactly one item, in canonical encoding. */
export function decodeRlp(bytes: Uint8Array): Item {
  const { item, end } = readItem(bytes, 0, 0)
  if (end !== bytes.length) throw notCanonical()
  return item
}

export function encodeRlp(item: Item): Uint8Array {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && (item[0] ?? 0) < 0x80) return item
    return concat([prefix(0x80, item.length), item])
  }
  const content = concat(item.map(encodeRlp))
  return concat([prefix(0xc0, content.length), content])
}

/** Encodes a number without leading zeros, as in transactions. */
export function numberBytes(value: bigint): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; rest > 0n; rest >>= 8n) bytes.unshift(Number(rest & 0xffn))
  return Uint8Array.from(bytes)
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function prefix(base: number, length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(base + length)
  const size = numberBytes(BigInt(length))
  return concat([Uint8Array.of(base + 55 + size.length), size])
}

function readItem(bytes: Uint8Array, at: number, depth: number): { item: Item; end: number } {
  const first = bytes[at]
  if (first === undefined || depth > maxDepth) throw notCanonical()
  if (first < 0x80) return { item: bytes.slice(at, at + 1), end: at + 1 }
  const base = first < 0xc0 ? 0x80 : 0xc0
  const { start, end } = readLength(bytes, at, first - base)
  if (base === 0x80) {
    const item = bytes.slice(start, end)
    // A byte below 0x80 must be encoded as itself.
    if (item.length === 1 && (item[0] ?? 0) < 0x80) throw notCanonical()
    return { item, end }
  }
  const items: Item[] = []
  for (let next = start; next < end; ) {
    const read = readItem(bytes.subarray(0, end), next, depth + 1)
    items.push(read.item)
    next = read.end
  }
  return { item: items, end }
}

function readLength(bytes: Uint8Array, at: number, code: number): { start: number; end: number } {
  const size = Math.max(0, code - 55)
  const start = at + 1 + size
  const digits = bytes.subarray(at + 1, start)
  // Three length bytes suffice for any transaction.
  if (size > 3 || digits.length < size || digits[0] === 0) throw notCanonical()
  const length = size === 0 ? code : digits.reduce((sum, digit) => sum * 256 + digit, 0)
  if ((size > 0 && length < 56) || start + length > bytes.length) throw notCanonical()
  return { start, end: start + length }
}

function notCanonical(): FrameError {
  return new FrameError('the transaction is not in its one canonical encoding')
}
