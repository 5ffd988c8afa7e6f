import fc from 'fast-check'
import type { AbiFunction, AbiParameter, Address, Hex } from 'viem'
import { FixtureError } from '../FixtureError.ts'

export function arbitraryArguments({ inputs }: AbiFunction): fc.Arbitrary<unknown[]> {
  return fc.tuple(...inputs.map(arbitraryValue))
}

/** Any address except the lowest ones, which belong to precompiled contracts. */
export const anyAddress: fc.Arbitrary<Address> = arbitraryBytes(20).filter((address) => BigInt(address) > 0xffffn)

function arbitraryValue(parameter: AbiParameter): fc.Arbitrary<unknown> {
  const { type } = parameter
  if (type.endsWith('[]')) return fc.array(arbitraryValue({ ...parameter, type: type.slice(0, -2) }), { maxLength: 4 })
  if ('components' in parameter) {
    return fc.record(Object.fromEntries(parameter.components.map((each) => [each.name ?? '', arbitraryValue(each)])))
  }
  if (type === 'address') return anyAddress
  if (type === 'bool') return fc.boolean()
  if (type === 'bytes') return fc.uint8Array({ maxLength: 200 }).map(toHex)
  const [, kind, size] = /^(uint|bytes)(\d+)$/.exec(type) ?? []
  if (kind === 'bytes') return arbitraryBytes(Number(size))
  // viem represents integers of up to 48 bits as numbers.
  if (kind === 'uint' && Number(size) <= 48) return fc.nat({ max: 2 ** Math.min(Number(size), 31) - 1 })
  if (kind === 'uint') return fc.bigInt({ min: 0n, max: 2n ** BigInt(size ?? 0) - 1n })
  throw new FixtureError(`No values of type ${type}.`)
}

function arbitraryBytes(length: number): fc.Arbitrary<Hex> {
  return fc.uint8Array({ minLength: length, maxLength: length }).map(toHex)
}

function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
