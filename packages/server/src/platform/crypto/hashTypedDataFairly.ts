import { concatHex, encodeAbiParameters, getTypesForEIP712Domain, type Hex, keccak256, stringToHex, toHex } from 'viem'
import { ServerError } from '../errors/ServerError.ts'
import { createPause } from './createPause.ts'

export type TypedData = {
  domain: Record<string, unknown>
  types: Readonly<Record<string, readonly Field[]>>
  primaryType: string
  message: Record<string, unknown>
}
type Field = { name: string; type: string }

/** Limits on the typed data of one request. */
export const typedDataBounds = {
  /** Maximum number of structs, arrays, their elements and members. */
  elements: 3_000,
  /** Characters of the hashed types, including the types they refer to. */
  typeText: 100_000,
  /** Maximum nesting depth. */
  depth: 64,
} as const

/** The unused part of {@link typedDataBounds}. */
export type HashingBudget = { elements: number; typeText: number; readonly depth: number }

/**
 * Returns the EIP-712 digest of typed data, like viem's `hashTypedData`, with bounded work: hashes each type once,
 * counts all elements first, and yields to other requests.
 *
 * @throws `REQUEST_INVALID` if the data is too large; any other error if the data does not match its types.
 */
export async function hashTypedDataFairly(typedData: TypedData, budget: HashingBudget): Promise<Hex> {
  const { domain, message, primaryType } = typedData
  countElements([domain, message], budget)
  const types = new Map(Object.entries(typedData.types))
  if (!types.has('EIP712Domain')) types.set('EIP712Domain', getTypesForEIP712Domain({ domain }))
  const hasher = createHasher(types, budget)
  const parts: Hex[] = ['0x1901', await hasher.hashStruct('EIP712Domain', domain)]
  if (primaryType !== 'EIP712Domain') parts.push(await hasher.hashStruct(primaryType, message))
  return keccak256(concatHex(parts))
}

/** Counts every struct, array, element and member: each is encoded at some cost. */
function countElements(values: readonly unknown[], budget: HashingBudget, depth = 0): void {
  for (const value of values) {
    if (--budget.elements < 0 || depth > budget.depth) throw tooLarge()
    if (typeof value === 'object' && value !== null) countElements(Object.values(value), budget, depth + 1)
  }
}

function tooLarge(): ServerError {
  return new ServerError('The typed data is too large to be hashed: sign it in parts, or with fewer types.', {
    code: 'REQUEST_INVALID',
    status: 400,
  })
}

type Types = ReadonlyMap<string, readonly Field[]>

function createHasher(types: Types, budget: HashingBudget) {
  const typeHashes = new Map<string, Hex>()
  const pause = createPause()

  function hashType(name: string): Hex {
    const known = typeHashes.get(name)
    if (known) return known
    const text = encodeType(types, name)
    budget.typeText -= text.length
    if (budget.typeText < 0) throw tooLarge()
    const hash = keccak256(stringToHex(text))
    typeHashes.set(name, hash)
    return hash
  }

  async function hashStruct(name: string, data: unknown): Promise<Hex> {
    const fields = types.get(name)
    if (!fields || typeof data !== 'object' || data === null) throw new TypeError('no such struct')
    const words = [hashType(name)]
    for (const { name: field, type } of fields)
      words.push(await encodeValue(type, Object.hasOwn(data, field) ? Reflect.get(data, field) : undefined, true))
    await pause()
    return keccak256(concatHex(words))
  }

  /** Returns the 32 bytes that encode a value. `isMember`: the value is a member of a struct, not of an array. */
  async function encodeValue(type: string, value: unknown, isMember: boolean): Promise<Hex> {
    if (types.has(type)) {
      if (isMember && reserved.test(type)) throw new TypeError('a struct with the name of another type')
      return hashStruct(type, value)
    }
    if (type === 'bytes') return keccak256(toBytesValue(value))
    if (type === 'string') return keccak256(toHex(value as string))
    if (type.endsWith(']')) return encodeArray(type.slice(0, type.lastIndexOf('[')), value)
    if (type === 'int' || type === 'uint') throw new TypeError('a type without its size')
    return encodeAbiParameters([{ type }], [value as never])
  }

  async function encodeArray(type: string, value: unknown): Promise<Hex> {
    if (!Array.isArray(value)) throw new TypeError('not an array')
    const words: Hex[] = []
    for (const item of value) {
      words.push(await encodeValue(type, item, false))
      await pause()
    }
    return keccak256(words.length === 0 ? '0x' : concatHex(words))
  }

  return { hashStruct }
}

/** Type names that a struct must not have. */
const reserved = /^(?:address$|bool$|string$|bytes|uint|int)/

function toBytesValue(value: unknown): Hex {
  if (typeof value === 'string' && /^0x(?:[0-9a-fA-F]{2})*$/.test(value)) return value as Hex
  throw new TypeError('not bytes in hex')
}

/** Returns the encoded type of a struct: itself first, then the types it refers to, by name (EIP-712, `encodeType`). */
function encodeType(types: Types, name: string): string {
  const found = new Set<string>()
  const waiting = [name]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const struct = /^\w*/u.exec(next)?.[0] ?? ''
    if (found.has(struct) || !types.has(struct)) continue
    found.add(struct)
    for (const { type } of types.get(struct) ?? []) waiting.push(type)
  }
  found.delete(name)
  return [name, ...[...found].sort()]
    .map((each) => `${each}(${(types.get(each) ?? []).map((field) => `${field.type} ${field.name}`).join(',')})`)
    .join('')
}
