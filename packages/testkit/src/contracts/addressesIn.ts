import type { Address } from 'viem'

/** Returns every address in an object at any depth. */
export function addressesIn(value: unknown): Address[] {
  if (typeof value === 'string') return [value as Address]
  return typeof value === 'object' && value ? Object.values(value).flatMap(addressesIn) : []
}
