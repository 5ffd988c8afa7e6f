import { verifyApiKeyStamp } from '../../../server/src/custody/stamps/verifyApiKeyStamp.ts'

/** Checks an `X-Stamp` value as custody does and returns its compressed public key. */
export function verifyStamp(header: string, body: string): string {
  return verifyApiKeyStamp(header, Buffer.from(body, 'utf8')).publicKey
}
