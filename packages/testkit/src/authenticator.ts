import { randomBytes, sign } from 'node:crypto'
import {
  attestationObject,
  authenticatorData,
  clientDataJson,
  createCredentialKey,
  sha256,
} from '../../dev/src/testing/webauthn.ts'

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

/** Values to send instead of those of a correct authenticator and browser. */
export type Deviation = {
  type?: string
  origin?: string
  rpId?: string
  challenge?: string | Uint8Array
  /** Flag bits: UP 0x01, UV 0x04, BE 0x08, BS 0x10, AT 0x40. */
  flags?: number
  signCount?: number
  client?: object
}

export type TestAuthenticator = ReturnType<typeof createAuthenticator>

export declare namespace createAuthenticator {
  type Options = {
    /** @default 'localhost' */
    rpId?: string
    /** @default 'http://localhost:4100' */
    origin?: string
    /** @default 'ES256' */
    algorithm?: 'ES256' | 'RS256'
    /** Whether the passkey counts signatures. Synced passkeys do not. @default true */
    counts?: boolean
    /** Length of the credential id. @default 32 */
    idBytes?: number
  }
}

/** Creates a software passkey, with the browser and page that use it. */
export function createAuthenticator(options: createAuthenticator.Options = {}) {
  const {
    rpId = 'localhost',
    origin = 'http://localhost:4100',
    algorithm = 'ES256',
    counts = true,
    idBytes = 32,
  } = options
  const id = randomBytes(idBytes)
  const { privateKey, cose, alg } = createCredentialKey(algorithm)
  const signBytes = (bytes: Uint8Array) => sign('sha256', bytes, privateKey)
  const clientData = (type: string, challenge: string | Uint8Array, deviation: Deviation) =>
    clientDataJson({
      type: deviation.type ?? type,
      challenge: Buffer.from(deviation.challenge ?? challenge).toString('base64url'),
      origin: deviation.origin ?? origin,
      more: deviation.client,
    })
  const dataOf = (deviation: Deviation, flags: number, signCount: number) => ({
    rpId: deviation.rpId ?? rpId,
    flags: deviation.flags ?? flags,
    signCount: deviation.signCount ?? (counts ? signCount : 0),
  })
  let signCount = 1
  return {
    credentialId: id.toString('base64url'),
    /** Returns a registration without attestation, or with self attestation in the format `packed`. */
    register(deviation: Deviation & { format?: 'none' | 'packed'; credentialId?: Uint8Array } = {}): Registration {
      const challenge = randomBytes(32)
      const client = clientData('webauthn.create', challenge, deviation)
      const authData = authenticatorData({ ...dataOf(deviation, 0x45, 1), attested: { aaguid, id, cose } })
      const sig = signBytes(Buffer.concat([authData, sha256(client)]))
      const object = attestationObject(authData, deviation.format === 'packed' ? { alg, sig } : undefined)
      return {
        challenge: challenge.toString('base64url'),
        attestation: {
          credentialId: Buffer.from(deviation.credentialId ?? id).toString('base64url'),
          attestationObject: object.toString('base64url'),
          clientDataJson: client.toString('base64url'),
          transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL', 'AUTHENTICATOR_TRANSPORT_HYBRID'],
        },
      }
    },
    /** Returns the value of `X-Stamp-Webauthn` for a body, and increments the signature counter. */
    stamp(body: string, deviation: Deviation = {}): string {
      if (counts) signCount++
      const client = clientData('webauthn.get', sha256(body).toString('hex'), deviation)
      const authData = authenticatorData(dataOf(deviation, 0x05, signCount))
      return JSON.stringify({
        authenticatorData: authData.toString('base64url'),
        clientDataJson: client.toString('base64url'),
        credentialId: id.toString('base64url'),
        signature: signBytes(Buffer.concat([authData, sha256(client)])).toString('base64url'),
      })
    },
  }
}
