import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * HMAC-SHA256 under the operators' key, which is in the configuration alone: write access to the database, of any role or
 * of its owner, makes no row that is believed. `label` keeps the rows of one table from counting in another.
 */
export function operatorMac(key: Uint8Array, label: string, fields: readonly (string | number | null)[]): Uint8Array {
  return createHmac('sha256', key)
    .update(JSON.stringify([label, ...fields]))
    .digest()
}

/** Compares two MACs or digests in a time that tells nothing of where they differ. */
export function isEqualDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
