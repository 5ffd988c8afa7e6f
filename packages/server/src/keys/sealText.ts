import { hkdfSync } from 'node:crypto'
import { open, seal } from './seal.ts'

const aad = new TextEncoder().encode('latchkey sealed text')

/** Derives a key for one use from a secret in hex. */
export function deriveKey(secret: string, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', Buffer.from(secret, 'hex'), '', use, 32))
}

/** Seals a text that clients store for the server: base64url. */
export function sealText(key: Uint8Array, text: string): string {
  return Buffer.from(seal(key, new TextEncoder().encode(text), aad)).toString('base64url')
}

export function openText(key: Uint8Array, sealed: string): string | undefined {
  try {
    return new TextDecoder().decode(open(key, Buffer.from(sealed, 'base64url'), aad))
  } catch {
    return undefined
  }
}
