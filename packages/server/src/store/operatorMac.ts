import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Computes HMAC-SHA256 under the operators' key, which is only in the configuration. Even the database owner cannot
 * forge a trusted row. `label` separates the rows of different tables.
 */
export function operatorMac(key: Uint8Array, label: string, fields: readonly (string | number | null)[]): Uint8Array {
  return createHmac('sha256', key)
    .update(JSON.stringify([label, ...fields]))
    .digest()
}

export function isEqualDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
