import { createHmac, timingSafeEqual } from 'node:crypto'

type Value = string | number | boolean | Date | null | readonly string[]

/**
 * HMAC-SHA-256 over the members of a row that custody trusts, so that whoever can only write to the database cannot make
 * such a row or change one. `table` keeps rows of different tables apart.
 */
export function rowMac(macKey: Uint8Array, table: string, members: readonly Value[]): Uint8Array {
  return createHmac('sha256', macKey)
    .update(JSON.stringify([table, ...members]), 'utf8')
    .digest()
}

/** Compares in constant time. */
export function isSameMac(expected: Uint8Array, given: Uint8Array): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given)
}
