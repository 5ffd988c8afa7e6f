import { type Hex, size, toHex } from 'viem'

/** Bytes as hex, or a list of such. */
export type Rlp = Hex | readonly Rlp[]

/** Recursive-length prefix of the Ethereum yellow paper, appendix B. */
export function toRlp(value: Rlp): Hex {
  if (typeof value !== 'string') {
    const items = join(value.map(toRlp))
    return join([prefix(0xc0, size(items)), items])
  }
  const isOwnPrefix = size(value) === 1 && Number(value) < 0x80
  return isOwnPrefix ? value : join([prefix(0x80, size(value)), value])
}

function prefix(from: number, length: number): Hex {
  if (length < 56) return toHex(from + length, { size: 1 })
  const digits = toHex(length)
  const even: Hex = digits.length % 2 === 0 ? digits : `0x0${digits.slice(2)}`
  return join([toHex(from + 55 + size(even), { size: 1 }), even])
}

/** Also of nothing: viem's `concat` tells hex from bytes by the first part. */
function join(parts: readonly Hex[]): Hex {
  return `0x${parts.map((part) => part.slice(2).toLowerCase()).join('')}`
}
