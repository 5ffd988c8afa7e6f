import type { Address } from 'viem'

/** Every address in an object, however deep it lies. */
export function addressesIn(value: unknown): Address[] {
  if (typeof value === 'string') return [value as Address]
  return typeof value === 'object' && value ? Object.values(value).flatMap(addressesIn) : []
}
