import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { readBase64 } from '../platform/crypto/encodings.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { type AuthenticatorData, readAuthenticatorData } from './authenticatorData.ts'
import { type Cbor, decodeCbor } from './cbor.ts'
import { checkClientData } from './clientData.ts'
import { readCoseKey, verifySignature } from './coseKey.ts'

const maxCredentialIdLength = 1023

export declare namespace verifyRegistration {
  type Parameters = {
    /** base64url. The page creates the challenge, since the surrounding request is authenticated. */
    challenge: string
    attestation: { credentialId: string; attestationObject: string; clientDataJson: string }
    allowedOrigins: readonly string[]
    /** Whether to refuse users that were not verified (flag UV). @default false */
    needsVerifiedUser?: boolean | undefined
  }
  /** `credentialId`: base64url without padding; `publicKey`: COSE hex; `aaguid`: UUID. */
  type ReturnType = { credentialId: string; publicKey: string; rpId: string; signCount: number; aaguid: string }
}

/**
 * Verifies a WebAuthn registration (L3 § 7.1, see the numbered steps; custody protocol § 1.3). Accepts no attestation,
 * and self attestation, which clients forward even if it was not requested (§ 5.1.3 step 24).
 *
 * @throws `REQUEST_INVALID`.
 */
export function verifyRegistration(parameters: verifyRegistration.Parameters): verifyRegistration.ReturnType {
  const { attestation, allowedOrigins } = parameters
  const clientDataJson = decode(attestation.clientDataJson, 'clientDataJson')
  const challenge = decode(parameters.challenge, 'challenge')
  // Steps 5 to 11.
  const wrong = checkClientData({ bytes: clientDataJson, type: 'webauthn.create', challenge, allowedOrigins })
  if (wrong) throw refused(wrong)
  // Step 13.
  const object = readAttestationObject(decode(attestation.attestationObject, 'attestationObject'))
  const authData = readAuthenticatorData(object.authData)
  if (!authData?.attested) throw refused('The authenticator data holds no credential (flag AT).')
  // Step 14. The client does not send the relying party id, so it is found by its hash.
  const rpId = findRpId(authData.rpIdHash, allowedOrigins)
  if (rpId === undefined)
    throw refused('Its relying party id is neither the host name of a registered origin nor a domain above it.')
  checkFlags(authData)
  // Step 16.
  if (parameters.needsVerifiedUser && !authData.userVerified)
    throw refused('The authenticator did not verify the user (flag UV), by fingerprint, face or PIN.')
  const { credentialId, publicKey, aaguid } = authData.attested
  // Step 20.
  const key = readCoseKey(publicKey)
  if (!key) throw refused('Its public key is neither ES256 on P-256 nor RS256. Ask for the algorithms -7 and -257.')
  // Steps 12, 21 and 22.
  const hash = createHash('sha256').update(clientDataJson).digest()
  const message = Buffer.concat([object.authData, hash])
  checkStatement(object, key.algorithm, (signature) => verifySignature(key, message, signature))
  // Step 25.
  if (credentialId.length === 0 || credentialId.length > maxCredentialIdLength)
    throw refused(`Its credential id must have 1 to ${maxCredentialIdLength} bytes.`)
  if (Buffer.compare(decode(attestation.credentialId, 'credentialId'), credentialId) !== 0)
    throw refused('credentialId is not the id of the attested credential.')
  return {
    credentialId: Buffer.from(credentialId).toString('base64url'),
    publicKey: Buffer.from(publicKey).toString('hex'),
    rpId,
    signCount: authData.signCount,
    aaguid,
  }
}

/**
 * Returns the relying party id whose SHA-256 an authenticator reported: the host name of an allowed origin, or a parent
 * domain of it (WebAuthn L3 § 5.1.3 step 8). The browser has already checked that it is no public suffix. A
 * single-label name, such as `localhost`, matches only the host itself. Returns undefined if no name matches.
 */
export function findRpId(rpIdHash: Uint8Array, allowedOrigins: readonly string[]): string | undefined {
  const candidates = new Set(allowedOrigins.flatMap((origin) => domains(new URL(origin).hostname)))
  return [...candidates].find((rpId) => createHash('sha256').update(rpId, 'utf8').digest().equals(rpIdHash))
}

function domains(host: string): string[] {
  if (isIP(host) || host.startsWith('[')) return []
  const labels = host.split('.')
  const parents = labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'))
  return [host, ...parents]
}

type AttestationObject = { format: Cbor | undefined; statement: Map<number | string, Cbor>; authData: Uint8Array }

function readAttestationObject(bytes: Uint8Array): AttestationObject {
  const decoded = decodeCbor(bytes)
  const object = decoded?.length === bytes.length && decoded.value instanceof Map ? decoded.value : undefined
  const [format, statement, authData] = ['fmt', 'attStmt', 'authData'].map((name) => object?.get(name))
  if (statement instanceof Map && authData instanceof Uint8Array) return { format, statement, authData }
  throw refused('attestationObject is not CBOR of fmt, attStmt and authData.')
}

function checkFlags({ userPresent, backupEligible, backupState }: AuthenticatorData): void {
  // Step 15.
  if (!userPresent) throw refused('The authenticator did not see the user (flag UP).')
  // Step 17.
  if (backupState && !backupEligible) throw refused('The backup flags contradict each other.')
}

/** `none` (§ 8.7) or `packed` self attestation (§ 8.2): neither certifies anything about the authenticator. */
function checkStatement(
  { format, statement }: AttestationObject,
  algorithm: number,
  verify: (signature: Uint8Array) => boolean,
): void {
  if (format === 'none' && statement.size === 0) return
  const signature = statement.get('sig')
  if (format === 'packed' && !statement.has('x5c') && signature instanceof Uint8Array) {
    if (statement.get('alg') === algorithm && verify(signature)) return
    throw refused("Its self attestation was not signed by the credential's key.")
  }
  throw refused('Its attestation is of a kind that is not read. Ask for attestation "none".')
}

function decode(text: string, name: string): Uint8Array {
  const bytes = readBase64(text)
  if (bytes) return bytes
  throw refused(`${name} is not base64url.`)
}

function refused(why: string) {
  return new ServerError(`The passkey cannot be registered. ${why}`, { code: 'REQUEST_INVALID' })
}
