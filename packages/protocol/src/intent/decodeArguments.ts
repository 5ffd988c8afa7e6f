/** A decoded value: integers as bigint, the rest as lowercase hex with `0x`, lists and structs as arrays. */
export type AbiValue = bigint | boolean | Hex | readonly AbiValue[]

export type Hex = `0x${string}`

type AbiType =
  | { kind: 'word'; read(word: string): AbiValue | undefined }
  | { kind: 'bytes' }
  | { kind: 'list'; item: AbiType }
  | { kind: 'struct'; members: readonly AbiType[] }

/** `data`: hex digits without `0x`. `isCanonical` becomes false at the first deviation from the canonical encoding. */
type Reader = { readonly data: string; isCanonical: boolean }

const wordDigits = 64

/**
 * Decodes ABI-encoded arguments. Returns undefined unless the encoding is canonical: each dynamic value directly
 * follows the previous one, padding is zero, and no bytes follow the last value. A contract may read other encodings
 * differently from a decoder, and offsets that repeatedly point to the same bytes would take quadratic time.
 *
 * @param types - Types of the arguments, such as `(address,uint256,bytes)[]`, in parentheses.
 * @param data - Hex digits without `0x` and without the selector, lowercase.
 */
export function decodeArguments(types: string, data: string): readonly AbiValue[] | undefined {
  const reader: Reader = { data, isCanonical: true }
  const { value, digits } = read(reader, parseType(types), 0)
  return reader.isCanonical && digits === data.length ? (value as readonly AbiValue[]) : undefined
}

type Read = { value: AbiValue; digits: number }

function read(reader: Reader, type: AbiType, at: number): Read {
  switch (type.kind) {
    case 'word':
      return { value: type.read(readWord(reader, at)) ?? refuse(reader, '0x'), digits: wordDigits }
    case 'bytes':
      return readBytes(reader, at)
    case 'struct':
      return readMembers(reader, type.members, at)
    case 'list': {
      const count = readLength(reader, at, headDigits(type.item))
      const { value, digits } = readMembers(reader, Array<AbiType>(count).fill(type.item), at + wordDigits)
      return { value, digits: wordDigits + digits }
    }
  }
}

/** Reads the heads in order. Each dynamic value must begin directly after the previous one. */
function readMembers(reader: Reader, members: readonly AbiType[], at: number): Read {
  const values: AbiValue[] = []
  let head = at
  let tail = members.reduce((sum, member) => sum + headDigits(member), 0)
  for (const member of members) {
    if (!reader.isCanonical) break
    if (isDynamic(member)) {
      if (toLength(readWord(reader, head)) * 2 !== tail) refuse(reader, '')
      const { value, digits } = read(reader, member, at + tail)
      values.push(value)
      tail += digits
    } else values.push(read(reader, member, head).value)
    head += headDigits(member)
  }
  return { value: values, digits: tail }
}

function readBytes(reader: Reader, at: number): Read {
  const digits = readLength(reader, at, 2) * 2
  const padded = Math.ceil(digits / wordDigits) * wordDigits
  const from = at + wordDigits
  const text = reader.data.slice(from, from + padded)
  if (text.length !== padded || /[^0]/.test(text.slice(digits))) refuse(reader, '')
  return { value: `0x${text.slice(0, digits)}`, digits: wordDigits + padded }
}

/** Reads the length of a list or of bytes. Refuses a length that exceeds the data, which also bounds loops. */
function readLength(reader: Reader, at: number, digitsEach: number): number {
  const length = toLength(readWord(reader, at))
  return length * digitsEach <= reader.data.length - at - wordDigits ? length : refuse(reader, 0)
}

function readWord(reader: Reader, at: number): string {
  const word = reader.data.slice(at, at + wordDigits)
  return word.length === wordDigits ? word : refuse(reader, '0'.repeat(wordDigits))
}

const toLength = (word: string) => (/^0{52}/.test(word) ? Number(`0x${word}`) : Number.POSITIVE_INFINITY)

function refuse<value>(reader: Reader, value: value): value {
  reader.isCanonical = false
  return value
}

function isDynamic(type: AbiType): boolean {
  return type.kind === 'struct' ? type.members.some(isDynamic) : type.kind !== 'word'
}

function headDigits(type: AbiType): number {
  if (type.kind !== 'struct' || isDynamic(type)) return wordDigits
  return type.members.reduce((sum, member) => sum + headDigits(member), 0)
}

const parsed = new Map<string, AbiType>()

function parseType(text: string): AbiType {
  const known = parsed.get(text)
  if (known) return known
  const type = parse(text)
  parsed.set(text, type)
  return type
}

function parse(text: string): AbiType {
  if (text.endsWith('[]')) return { kind: 'list', item: parseType(text.slice(0, -2)) }
  if (text.startsWith('(')) return { kind: 'struct', members: splitMembers(text.slice(1, -1)).map(parseType) }
  if (text === 'bytes' || text === 'string') return { kind: 'bytes' }
  return { kind: 'word', read: toWordReader(text) }
}

/** Splits at the commas outside inner parentheses. */
function splitMembers(text: string): string[] {
  const members: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')') depth--
    if (at < text.length && (text[at] !== ',' || depth > 0)) continue
    if (at > start) members.push(text.slice(start, at))
    start = at + 1
  }
  return members
}

/**
 * Returns the reader of a type of one word. The reader returns undefined for a value that is out of the type's range.
 */
function toWordReader(type: string): (word: string) => AbiValue | undefined {
  if (type === 'address') return (word) => (/^0{24}/.test(word) ? `0x${word.slice(24)}` : undefined)
  if (type === 'bool') return (word) => (/^0{63}[01]$/.test(word) ? word.endsWith('1') : undefined)
  const [, family, size] = /^(uint|bytes)(\d+)$/.exec(type) ?? []
  if (family === 'uint') {
    const unused = (256 - Number(size)) / 4
    return (word) => (/[^0]/.test(word.slice(0, unused)) ? undefined : BigInt(`0x${word}`))
  }
  const used = Number(size) * 2
  return (word) => (/[^0]/.test(word.slice(used)) ? undefined : `0x${word.slice(0, used)}`)
}
