import { createHash } from 'node:crypto'

/** `sha256:` + hex of SHA-256 over the exact request body (custody protocol § 2.4). */
export function fingerprint(body: Uint8Array): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`
}
