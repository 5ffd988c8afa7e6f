import { createHash, createPrivateKey, hkdfSync, type KeyObject, sign } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { accessTokenType } from 'latchkey-protocol'

/** A P-256 public key as a JSON Web Key (RFC 7517). */
type PublicJwk = { kty: 'EC'; crv: 'P-256'; x: string; y: string; kid: string; alg: 'ES256'; use: 'sig' }

/** Keys of access tokens. */
export type AccessTokenKeys = {
  /** Returns a JWT (RFC 7519) of the claims, signed with ES256 by the current key. */
  sign(claims: object): string
  /** Public keys of the previous, the current and the next generation. */
  keySet: { keys: readonly PublicJwk[] }
}

export declare namespace createAccessTokenKeys {
  type Parameters = {
    /** P-256 API key of the parent organization, in hex, which the keys are derived from. */
    secret: string
    /** Number of the current key, from 1. */
    generation: number
  }
}

/**
 * Derives the keys of access tokens. The key set also contains the next key, so that verifiers already have it in their
 * caches before its first token. The set also contains the previous key, whose tokens may still be valid.
 */
export function createAccessTokenKeys({ secret, generation }: createAccessTokenKeys.Parameters): AccessTokenKeys {
  const current = deriveKey(secret, generation)
  const others = [generation - 1, generation + 1].filter((each) => each > 0).map((each) => deriveKey(secret, each))
  const header = encode({ alg: 'ES256', typ: accessTokenType, kid: current.jwk.kid })
  return {
    sign(claims) {
      const signed = `${header}.${encode(claims)}`
      const signature = sign('sha256', Buffer.from(signed), { key: current.privateKey, dsaEncoding: 'ieee-p1363' })
      return `${signed}.${signature.toString('base64url')}`
    },
    keySet: { keys: [current, ...others].map(({ jwk }) => jwk) },
  }
}

function deriveKey(secret: string, generation: number): { privateKey: KeyObject; jwk: PublicJwk } {
  const info = `latchkey access token key ${generation}`
  const seed = new Uint8Array(hkdfSync('sha256', Buffer.from(secret, 'hex'), '', info, 48))
  const scalar = p256.utils.randomSecretKey(seed)
  const point = Buffer.from(p256.getPublicKey(scalar, false))
  const [x, y, d] = [point.subarray(1, 33), point.subarray(33), scalar].map((part) =>
    Buffer.from(part).toString('base64url'),
  ) as [string, string, string]
  const members = { crv: 'P-256', kty: 'EC', x, y } as const
  // RFC 7638: SHA-256 over the required members in alphabetical order.
  const kid = createHash('sha256').update(JSON.stringify(members)).digest('base64url')
  return {
    privateKey: createPrivateKey({ key: { ...members, d }, format: 'jwk' }),
    jwk: { ...members, kid, alg: 'ES256', use: 'sig' },
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
