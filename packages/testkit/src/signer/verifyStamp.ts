import { verifyApiKeyStamp } from '../../../server/src/custody/stamps/verifyApiKeyStamp.ts'

/** Verifies an `X-Stamp` value like custody and returns its compressed public key. */
export function verifyStamp(header: string, body: string): string {
  return verifyApiKeyStamp(header, Buffer.from(body, 'utf8')).publicKey
}
