import { FrameError } from '../FrameError.ts'

// Converts ECDSA signatures between ASN.1 DER, `SEQUENCE { INTEGER r, INTEGER s }` (X.690 § 8.3), and WebCrypto's
// `r || s`.

/** Encodes `r || s` (64 bytes) as DER, with the shortest encoding of positive integers. */
export function toDer(signature: Uint8Array): Uint8Array {
  const r = encodeInteger(signature.subarray(0, 32))
  const s = encodeInteger(signature.subarray(32, 64))
  return new Uint8Array([0x30, r.length + s.length, ...r, ...s])
}

function encodeInteger(bytes: Uint8Array): number[] {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const digits = [...bytes.subarray(start)]
  if ((digits[0] ?? 0) >= 0x80) digits.unshift(0)
  return [0x02, digits.length, ...digits]
}

/**
 * Decodes DER to `r || s` (64 bytes). Accepts only short-form lengths, integers of at most 33 bytes in their shortest
 * form, and no trailing bytes.
 */
export function fromDer(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const signature = new Uint8Array(64)
  if (der[0] !== 0x30 || der[1] !== der.length - 2) throw malformed()
  const second = readInteger(der, 2, signature.subarray(0, 32))
  if (readInteger(der, second, signature.subarray(32)) !== der.length) throw malformed()
  return signature
}

/** Writes one integer to `into`, left-padded. Returns the offset after the integer. */
function readInteger(der: Uint8Array, at: number, into: Uint8Array): number {
  const length = der[at + 1] ?? 0
  const end = at + 2 + length
  if (der[at] !== 0x02 || length < 1 || length > 33 || end > der.length) throw malformed()
  const digits = der.subarray(at + 2, end)
  const first = digits[0] ?? 0
  if (first >= 0x80) throw malformed()
  if (first === 0 && length > 1 && (digits[1] ?? 0) < 0x80) throw malformed()
  const value = first === 0 ? digits.subarray(1) : digits
  if (value.length > 32) throw malformed()
  into.set(value, 32 - value.length)
  return end
}

function malformed(): FrameError {
  return new FrameError('the signature of the bundle is not DER')
}
