import { createHash } from 'node:crypto'
import { readAuthenticatorData } from './authenticatorData.ts'
import { checkClientData } from './clientData.ts'
import { readCoseKey, verifySignature } from './coseKey.ts'

/** Decoded assertion of a passkey. */
export type Assertion = {
  authenticatorData: Uint8Array
  clientDataJson: Uint8Array
  /** base64url of the raw id, without padding. */
  credentialId: string
  signature: Uint8Array
}

export declare namespace verifyAssertion {
  type Parameters = {
    assertion: Assertion
    challenge: Uint8Array
    allowedOrigins: readonly string[]
    /** Credential as registered. `publicKey`: COSE hex. */
    credential: { publicKey: string; rpId: string }
  }
  type ReturnType = { problem: string } | { problem?: undefined; signCount: number; userVerified: boolean }
}

/**
 * Verifies a WebAuthn assertion (L3 § 7.2, see the numbered steps; custody protocol § 1.2). Reports user verification
 * but does not require it, since the clients request it as `preferred`. The caller compares the counter (step 22).
 */
export function verifyAssertion(parameters: verifyAssertion.Parameters): verifyAssertion.ReturnType {
  const { assertion, challenge, allowedOrigins, credential } = parameters
  // Steps 8 to 14.
  const wrong = checkClientData({ bytes: assertion.clientDataJson, type: 'webauthn.get', challenge, allowedOrigins })
  if (wrong) return { problem: wrong }
  const authData = readAuthenticatorData(assertion.authenticatorData)
  if (!authData) return { problem: 'The authenticator data cannot be read.' }
  // Step 15.
  if (!createHash('sha256').update(credential.rpId, 'utf8').digest().equals(authData.rpIdHash))
    return { problem: 'The passkey was used for another relying party id than the one it was registered for.' }
  // Step 16.
  if (!authData.userPresent) return { problem: 'The authenticator did not see the user (flag UP).' }
  // Step 18.
  if (authData.backupState && !authData.backupEligible) return { problem: 'The backup flags contradict each other.' }
  // Steps 20 and 21.
  const key = readCoseKey(Buffer.from(credential.publicKey, 'hex'))
  const hash = createHash('sha256').update(assertion.clientDataJson).digest()
  const message = Buffer.concat([assertion.authenticatorData, hash])
  if (!key || !verifySignature(key, message, assertion.signature))
    return { problem: "The passkey's signature does not belong to this request." }
  // The caller checks step 17, since most requests only prefer user verification and some require it.
  return { signCount: authData.signCount, userVerified: authData.userVerified }
}
