import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Model that the authenticator says it is. */
const aaguid = Buffer.from('00112233445566778899aabbccddeeff', 'hex')

export type Registration = {
  challenge: string
  attestation: {
    credentialId: string
    attestationObject: string
    clientDataJson: string
    transports: string[]
  }
}

/** What to do otherwise than an honest authenticator and browser would. */
export type Deviation = {
  type?: string
  origin?: string
  rpId?: string
  /** Text of the challenge that is signed. */
  challenge?: string | Uint8Array
  /** UP 0x01, UV 0x04, BE 0x08, BS 0x10, AT 0x40. */
  flags?: number
  signCount?: number
  /** Further members of the client data. */
  client?: object
}

export type TestAuthenticator = {
  credentialId: string
  /** A registration with no attestation, or with self attestation. */
  register(deviation?: Deviation & { format?: 'none' | 'packed'; credentialId?: Uint8Array }): Registration
  /** Value of `X-Stamp-Webauthn` over a body. Counts by one each time. */
  stamp(body: string, deviation?: Deviation): string
}

export declare namespace createAuthenticator {
  type Options = {
    /** @default 'localhost' */
    rpId?: string
    /** @default 'http://localhost:4100' */
    origin?: string
    /** @default 'ES256' */
    algorithm?: 'ES256' | 'RS256'
    /** False: as a passkey that is kept in several places. @default true */
    counts?: boolean
    /** Length of its credential id. @default 32 */
    idBytes?: number
  }
}

/** A passkey in software with the page and browser around it. */
export function createAuthenticator(options: createAuthenticator.Options = {}): TestAuthenticator {
  const {
    rpId = 'localhost',
    origin = 'http://localhost:4100',
    algorithm = 'ES256',
    counts = true,
    idBytes = 32,
  } = options
  const id = randomBytes(idBytes)
  const { privateKey, cose } = createKey(algorithm)
  const signBytes = (bytes: Uint8Array) => sign('sha256', bytes, privateKey)
  const clientData = (type: string, challenge: string | Uint8Array, deviation: Deviation) =>
    Buffer.from(
      JSON.stringify({
        type: deviation.type ?? type,
        challenge: Buffer.from(deviation.challenge ?? challenge).toString('base64url'),
        origin: deviation.origin ?? origin,
        crossOrigin: false,
        ...deviation.client,
      }),
    )
  const head = (deviation: Deviation, flags: number, signCount: number) => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(deviation.signCount ?? signCount)
    return Buffer.concat([sha256(deviation.rpId ?? rpId), Buffer.of(deviation.flags ?? flags), counter])
  }
  let signCount = 1
  return {
    credentialId: id.toString('base64url'),
    register(deviation = {}) {
      const challenge = randomBytes(32)
      const client = clientData('webauthn.create', challenge, deviation)
      const idLength = Buffer.alloc(2)
      idLength.writeUInt16BE(id.length)
      const authData = Buffer.concat([head(deviation, 0x45, counts ? 1 : 0), aaguid, idLength, id, cose])
      const signature = signBytes(Buffer.concat([authData, sha256(client)]))
      const statement =
        deviation.format === 'packed'
          ? map([
              ['alg', coseAlgorithm[algorithm]],
              ['sig', signature],
            ])
          : map([])
      const attestationObject = Buffer.concat([
        Buffer.of(0xa3),
        ...[
          cbor('fmt'),
          cbor(deviation.format ?? 'none'),
          cbor('attStmt'),
          statement,
          cbor('authData'),
          cbor(authData),
        ],
      ])
      return {
        challenge: challenge.toString('base64url'),
        attestation: {
          credentialId: Buffer.from(deviation.credentialId ?? id).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          clientDataJson: client.toString('base64url'),
          transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL', 'AUTHENTICATOR_TRANSPORT_HYBRID'],
        },
      }
    },
    stamp(body, deviation = {}) {
      if (counts) signCount++
      const client = clientData('webauthn.get', sha256(body).toString('hex'), deviation)
      const authData = head(deviation, 0x05, counts ? signCount : 0)
      return JSON.stringify({
        authenticatorData: authData.toString('base64url'),
        clientDataJson: client.toString('base64url'),
        credentialId: id.toString('base64url'),
        signature: signBytes(Buffer.concat([authData, sha256(client)])).toString('base64url'),
      })
    },
  }
}

const coseAlgorithm = { ES256: -7, RS256: -257 }

function createKey(algorithm: 'ES256' | 'RS256') {
  const { privateKey, publicKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = publicKey.export({ format: 'jwk' })
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url')
  const cose =
    algorithm === 'ES256'
      ? map([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, bytes(jwk.x)],
          [-3, bytes(jwk.y)],
        ])
      : map([
          [1, 3],
          [3, -257],
          [-1, bytes(jwk.n)],
          [-2, bytes(jwk.e)],
        ])
  return { privateKey, cose }
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

/** CBOR of a small integer, a text or bytes (RFC 8949 § 3.1). */
function cbor(value: number | string | Uint8Array): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  const bytes = Buffer.from(value)
  return Buffer.concat([cborHead(typeof value === 'string' ? 3 : 2, bytes.length), bytes])
}

function map(entries: [number | string, number | string | Uint8Array][]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flatMap(([key, value]) => [cbor(key), cbor(value)])])
}

function cborHead(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.of((major << 5) | argument)
  if (argument < 256) return Buffer.of((major << 5) | 24, argument)
  return Buffer.of((major << 5) | 25, argument >> 8, argument & 0xff)
}
