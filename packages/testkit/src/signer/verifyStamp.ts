import { createPublicKey, ECDH, verify } from 'node:crypto'
import { FixtureError } from '../FixtureError.ts'

/** Checks an `X-Stamp` value over a body with node:crypto alone and returns its compressed public key; throws if wrong. */
export function verifyStamp(header: string, body: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(header)) throw new FixtureError('the stamp is not base64url without padding')
  const text = Buffer.from(header, 'base64url').toString('utf8')
  const stamp = JSON.parse(text) as { publicKey: string; scheme: string; signature: string }
  if (Object.keys(stamp).join() !== 'publicKey,scheme,signature') throw new FixtureError('members of the stamp')
  if (stamp.scheme !== 'SIGNATURE_SCHEME_TK_API_P256') throw new FixtureError('scheme of the stamp')
  if (!/^0[23][0-9a-f]{64}$/.test(stamp.publicKey)) throw new FixtureError('public key of the stamp')
  const point = ECDH.convertKey(stamp.publicKey, 'prime256v1', 'hex', undefined, 'uncompressed') as Buffer
  const key = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  const signature = Buffer.from(stamp.signature, 'hex')
  if (!verify('sha256', Buffer.from(body, 'utf8'), { key, dsaEncoding: 'der' }, signature)) {
    throw new FixtureError('signature of the stamp')
  }
  return stamp.publicKey
}
