import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { FixtureError } from '../FixtureError.ts'

// WebAuthn Level 3 § 7 with node:crypto alone, for ES256 and attestation "none".

export type Passkey = { id: string; key: KeyObject; rpIdHash: string; counter: number }
export type Attestation = {
  credentialId: string
  attestationObject: string
  clientDataJson: string
  transports: string[]
}
export type WebauthnStamp = {
  authenticatorData: string
  clientDataJson: string
  credentialId: string
  signature: string
}

/** Checks a registration and returns the passkey. */
export function readRegistration(challenge: string, attestation: Attestation, origin: string): Passkey {
  if (Object.keys(attestation).join() !== 'credentialId,attestationObject,clientDataJson,transports') {
    throw new FixtureError('members of the attestation')
  }
  if (Buffer.from(challenge, 'base64url').length !== 32) throw new FixtureError('length of the challenge')
  const client = clientData(attestation.clientDataJson)
  if (client.type !== 'webauthn.create' || client.challenge !== challenge || client.origin !== origin) {
    throw new FixtureError('client data of the registration')
  }
  const object = cbor(Buffer.from(attestation.attestationObject, 'base64url')) as Map<string, unknown>
  if (object.get('fmt') !== 'none') throw new FixtureError('format of the attestation')
  const data = object.get('authData') as Buffer
  if (((data[32] ?? 0) & 0x41) !== 0x41) throw new FixtureError('flags of the registration')
  const length = data.readUInt16BE(53)
  const id = data.subarray(55, 55 + length).toString('base64url')
  if (id !== attestation.credentialId) throw new FixtureError('id of the registration')
  const cose = cbor(data.subarray(55 + length)) as Map<number, unknown>
  if (cose.get(1) !== 2 || cose.get(3) !== -7 || cose.get(-1) !== 1)
    throw new FixtureError('algorithm of the registration')
  const x = (cose.get(-2) as Buffer).toString('base64url')
  const y = (cose.get(-3) as Buffer).toString('base64url')
  return {
    id,
    key: createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } }),
    rpIdHash: data.subarray(0, 32).toString('hex'),
    counter: data.readUInt32BE(33),
  }
}

/** Checks an `X-Stamp-Webauthn` value over a body with the passkey it names. */
export function verifyWebauthn(stamp: WebauthnStamp, body: string, passkey: Passkey, origin: string): void {
  if (Object.keys(stamp).join() !== 'authenticatorData,clientDataJson,credentialId,signature') {
    throw new FixtureError('members of the stamp')
  }
  const client = clientData(stamp.clientDataJson)
  const digest = createHash('sha256').update(body, 'utf8').digest('hex')
  if (Buffer.from(client.challenge, 'base64url').toString('latin1') !== digest)
    throw new FixtureError('challenge of the stamp')
  if (client.type !== 'webauthn.get' || client.origin !== origin) throw new FixtureError('client data of the stamp')
  const data = Buffer.from(stamp.authenticatorData, 'base64url')
  if (data.subarray(0, 32).toString('hex') !== passkey.rpIdHash) throw new FixtureError('rpIdHash of the stamp')
  if (((data[32] ?? 0) & 1) !== 1) throw new FixtureError('nobody was present')
  const counter = data.readUInt32BE(33)
  if (counter !== 0 && counter <= passkey.counter) throw new FixtureError('counter of the stamp')
  const hash = createHash('sha256').update(Buffer.from(stamp.clientDataJson, 'base64url')).digest()
  const signature = Buffer.from(stamp.signature, 'base64url')
  if (!verify('sha256', Buffer.concat([data, hash]), passkey.key, signature))
    throw new FixtureError('signature of the stamp')
  passkey.counter = counter
}

function clientData(text: string): { type: string; challenge: string; origin: string } {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
}

/** The part of CBOR (RFC 8949) that an attestation uses; what follows the first item is left. */
function cbor(bytes: Buffer): unknown {
  let at = 0
  const head = (): [number, number] => {
    const first = bytes[at++] ?? 0
    const low = first & 31
    if (low < 24) return [first >> 5, low]
    const size = 2 ** (low - 24)
    const value = bytes.readUIntBE(at, size)
    at += size
    return [first >> 5, value]
  }
  const item = (): unknown => {
    const [major, value] = head()
    if (major === 0) return value
    if (major === 1) return -1 - value
    if (major === 2 || major === 3) {
      const part = bytes.subarray(at, at + value)
      at += value
      return major === 2 ? part : part.toString('utf8')
    }
    if (major === 5) return new Map(Array.from({ length: value }, () => [item(), item()]))
    throw new FixtureError(`CBOR major type ${major}`)
  }
  return item()
}
