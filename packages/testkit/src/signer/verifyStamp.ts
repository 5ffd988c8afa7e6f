import { verifyApiKeyStamp } from '../../../server/src/custody/stamps/verifyApiKeyStamp.ts'

/** Checks an `X-Stamp` value over a body as custody does. Returns its compressed public key; throws if wrong. */
export function verifyStamp(header: string, body: string): string {
  return verifyApiKeyStamp(header, Buffer.from(body, 'utf8')).publicKey
}
