import { decodeCbor } from './cbor.ts'

/** Authenticator data (WebAuthn L3 § 6.1). */
export type AuthenticatorData = {
  /** 32 bytes. */
  rpIdHash: Uint8Array
  userPresent: boolean
  userVerified: boolean
  backupEligible: boolean
  backupState: boolean
  /** 0 if the authenticator has no counter. */
  signCount: number
  /** Only present in a registration. */
  attested: { aaguid: string /** UUID. */; credentialId: Uint8Array; publicKey: Uint8Array /** COSE. */ } | undefined
}

const flag = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40, ED: 0x80 }
const headLength = 37
const aaguidLength = 16

/** Reads authenticator data; undefined if lengths do not match exactly. */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData | undefined {
  if (bytes.length < headLength) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const flags = view.getUint8(32)
  let end = headLength
  let attested: AuthenticatorData['attested']
  if (flags & flag.AT) {
    const idStart = end + aaguidLength + 2
    if (idStart > bytes.length) return undefined
    const keyStart = idStart + view.getUint16(idStart - 2)
    const key = decodeCbor(bytes.subarray(keyStart))
    if (keyStart > bytes.length || !key) return undefined
    end = keyStart + key.length
    attested = {
      aaguid: toUuid(bytes.subarray(headLength, headLength + aaguidLength)),
      credentialId: bytes.slice(idStart, keyStart),
      publicKey: bytes.slice(keyStart, end),
    }
  }
  if (flags & flag.ED) {
    const extensions = decodeCbor(bytes.subarray(end))
    if (!(extensions?.value instanceof Map)) return undefined
    end += extensions.length
  }
  if (end !== bytes.length) return undefined
  return {
    rpIdHash: bytes.slice(0, 32),
    userPresent: (flags & flag.UP) !== 0,
    userVerified: (flags & flag.UV) !== 0,
    backupEligible: (flags & flag.BE) !== 0,
    backupState: (flags & flag.BS) !== 0,
    signCount: view.getUint32(33),
    attested,
  }
}

function toUuid(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
