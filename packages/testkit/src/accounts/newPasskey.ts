import { createHash, randomBytes, sign } from 'node:crypto'
import { bytesToHex } from 'viem'
import { toWebAuthnAccount, type WebAuthnAccount } from 'viem/account-abstraction'
import type { Credential } from '../../../dev/src/testing/addAuthenticator.ts'
import { authenticatorData, clientDataJson, createCredentialKey, flag } from '../../../dev/src/testing/webauthn.ts'

export type PasskeyBehavior = {
  /** Flags of the authenticator data. @default user present and verified */
  flags?: number | undefined
  /** Additional members of the client data. */
  more?: object | undefined
  /** Rejects every assertion, as for a passkey that was deleted from the device. */
  isDeleted?: boolean | undefined
}

/**
 * Returns viem's account of a software passkey of localhost, and its credential for a browser's virtual authenticator.
 * `behavior` may be changed after the call.
 */
export function newPasskey(behavior: PasskeyBehavior = {}): WebAuthnAccount & { credential: Credential } {
  const { privateKey } = createCredentialKey('ES256')
  const { x = '', y = '' } = privateKey.export({ format: 'jwk' })
  const publicKey = bytesToHex(Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]))
  const id = randomBytes(16).toString('base64url')
  const credential: Credential = {
    credentialId: Buffer.from(id, 'base64url').toString('base64'),
    isResidentCredential: true,
    rpId: 'localhost',
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    userHandle: randomBytes(16).toString('base64'),
    signCount: 1,
  }
  const account = toWebAuthnAccount({
    credential: { id, publicKey },
    rpId: 'localhost',
    async getFn(options) {
      if (behavior.isDeleted) throw new DOMException('The operation was not allowed.', 'NotAllowedError')
      const challenge = Buffer.from(options?.publicKey?.challenge as Uint8Array).toString('base64url')
      const clientDataJSON = clientDataJson({
        type: 'webauthn.get',
        challenge,
        origin: 'http://localhost:4100',
        more: behavior.more,
      })
      const flags = behavior.flags ?? flag.userPresent | flag.userVerified
      const data = authenticatorData({ rpId: 'localhost', flags, signCount: 0 })
      const signed = Buffer.concat([data, createHash('sha256').update(clientDataJSON).digest()])
      const signature = sign('sha256', signed, privateKey)
      return {
        id,
        response: { authenticatorData: data, clientDataJSON, signature },
      } as unknown as globalThis.Credential
    },
  })
  return { ...account, credential }
}
