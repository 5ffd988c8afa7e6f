import { createHmac, timingSafeEqual } from 'node:crypto'
import { base32nopad } from '@scure/base'

/** Defaults of RFC 6238 and of authenticator apps: HMAC-SHA-1, six digits, steps of 30 seconds. */
const stepMs = 30_000
const digits = 6

/** Returns the time step of a time in milliseconds since 1970. */
export const toStep = (atMs: number) => Math.floor(atMs / stepMs)

/** Returns the code of a time step (RFC 6238 § 4, RFC 4226 § 5.3). */
export function totp(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = (digest[digest.length - 1] ?? 0) & 15
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

export declare namespace findStep {
  type Parameters = {
    secret: Uint8Array
    code: string
    atMs: number
    /** Steps before and after the current one that are accepted as well (RFC 6238 § 5.2). */
    tolerance: number
  }
}

/** Returns the step whose code was given; undefined for a wrong code. Compares with every accepted step. */
export function findStep({ secret, code, atMs, tolerance }: findStep.Parameters): number | undefined {
  const now = toStep(atMs)
  let found: number | undefined
  for (let step = now - tolerance; step <= now + tolerance; step++) if (isEqual(totp(secret, step), code)) found = step
  return found
}

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export declare namespace totpUrl {
  type Parameters = { secret: Uint8Array; issuer: string; account: string }
}

/** Returns the URL by which authenticator apps take over a secret (Google's Key URI Format). */
export function totpUrl({ secret, issuer, account }: totpUrl.Parameters): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${base32nopad.encode(secret)}&issuer=${encodeURIComponent(issuer)}`
}
