import type { Address } from 'viem'

/** Returns all addresses in an object, at any depth. */
export function addressesIn(value: unknown): Address[] {
  if (typeof value === 'string') return [value as Address]
  return typeof value === 'object' && value ? Object.values(value).flatMap(addressesIn) : []
}
