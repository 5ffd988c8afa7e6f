import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'

// Creates client data, authenticator data and attestation objects (WebAuthn Level 3, § 5.8.1, § 6.1 and § 6.5) for all
// software passkeys.

/** Flags of authenticator data (WebAuthn § 6.1). */
export const flag = { userPresent: 0x01, userVerified: 0x04, attested: 0x40 } as const

export type CredentialKey = {
  privateKey: KeyObject
  /** COSE_Key (RFC 9053 § 2.1). */
  cose: Buffer
  /** COSE number of the algorithm. */
  alg: number
}

/** Creates a credential key and its public key as a COSE_Key. */
export function createCredentialKey(algorithm: 'ES256' | 'RS256' = 'ES256'): CredentialKey {
  const { privateKey, publicKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  const alg = algorithm === 'ES256' ? -7 : -257
  const members: [number, number | Buffer][] =
    algorithm === 'ES256'
      ? [
          [1, 2],
          [3, alg],
          [-1, 1],
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]
      : [
          [1, 3],
          [3, alg],
          [-1, bytes(n)],
          [-2, bytes(e)],
        ]
  return { privateKey, cose: map(members), alg }
}

/** Returns authenticator data of an assertion or, with `attested`, of a registration. */
export function authenticatorData(parameters: {
  rpId: string
  flags: number
  signCount: number
  attested?: { aaguid: Buffer; id: Buffer; cose: Buffer }
}): Buffer {
  const { rpId, flags, signCount, attested } = parameters
  const numbers = Buffer.alloc(5)
  numbers.writeUInt8(flags)
  numbers.writeUInt32BE(signCount, 1)
  const head = Buffer.concat([sha256(rpId), numbers])
  if (!attested) return head
  const length = Buffer.alloc(2)
  length.writeUInt16BE(attested.id.length)
  return Buffer.concat([head, attested.aaguid, length, attested.id, attested.cose])
}

/** Returns an attestation object. With `statement`, its format is a packed self attestation. */
export function attestationObject(authData: Buffer, statement?: { alg: number; sig: Buffer }): Buffer {
  const attStmt = map(
    statement
      ? [
          ['alg', statement.alg],
          ['sig', statement.sig],
        ]
      : [],
  )
  return map([
    ['fmt', statement ? 'packed' : 'none'],
    ['attStmt', { encoded: attStmt }],
    ['authData', authData],
  ])
}

/** Returns client data in a browser's format. `challenge` is base64url. */
export function clientDataJson(parameters: {
  type: string
  challenge: string
  origin: string
  /** Additional members, or replacements. */
  more?: object | undefined
}): Buffer {
  const { type, challenge, origin, more } = parameters
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...more }))
}

export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

type Value = number | string | Uint8Array | { encoded: Buffer }

/** Encodes a small integer, a text, bytes or an already encoded item as CBOR (RFC 8949 § 3.1). */
function cbor(value: Value): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'object' && 'encoded' in value) return value.encoded
  const bytes = Buffer.from(value)
  return Buffer.concat([head(typeof value === 'string' ? 3 : 2, bytes.length), bytes])
}

function map(entries: readonly [number | string, Value][]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, value]) => [cbor(key), cbor(value)])])
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.of((major << 5) | argument)
  if (argument < 256) return Buffer.of((major << 5) | 24, argument)
  return Buffer.of((major << 5) | 25, argument >> 8, argument & 0xff)
}
