// Encodings that not every browser or WebCrypto implementation provides.

/** Encodes base64url without padding (RFC 4648 § 5). */
export function toBase64url(bytes: ArrayBuffer | Uint8Array): string {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

/** Decodes base64url, with or without padding. Throws the error of `atob` for invalid text. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Encodes an ECDSA signature of WebCrypto, `r || s`, as ASN.1 DER (RFC 3279 § 2.2.3). */
export function toDer(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const half = signature.length / 2
  const integers = [signature.subarray(0, half), signature.subarray(half)].flatMap((part) => toDerInteger(part))
  return Uint8Array.from([0x30, integers.length, ...integers])
}

/** Encodes without leading zeros. Adds one zero byte if the integer would otherwise be negative. */
function toDerInteger(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0)
  const short = [...bytes.subarray(first === -1 ? bytes.length - 1 : first)]
  const value = (short[0] ?? 0) > 0x7f ? [0, ...short] : short
  return [0x02, value.length, ...value]
}
