import { randomBytes, sign } from 'node:crypto'
import {
  attestationObject,
  authenticatorData,
  clientDataJson,
  createCredentialKey,
  sha256,
} from '../../dev/src/testing/webauthn.ts'

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
    register(deviation = {}) {
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
    stamp(body, deviation = {}) {
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
