/**
 * Whether bytes are exactly one DER `SEQUENCE { INTEGER r, INTEGER s }` (X.690, SEC1 C.5) for a 256-bit curve: short
 * lengths, shortest positive integers of at most 33 bytes, nothing behind. Any s is fine, high or low.
 */
export function isStrictDer(bytes: Uint8Array): boolean {
  if (bytes.length > 72 || bytes[0] !== 0x30 || bytes[1] !== bytes.length - 2) return false
  const afterR = integerEnd(bytes, 2)
  if (afterR === undefined) return false
  return integerEnd(bytes, afterR) === bytes.length
}

function integerEnd(bytes: Uint8Array, start: number): number | undefined {
  const length = bytes[start + 1]
  const first = bytes[start + 2]
  const second = bytes[start + 3] ?? 0
  if (bytes[start] !== 0x02 || length === undefined || first === undefined) return undefined
  const end = start + 2 + length
  if (length < 1 || length > 33 || end > bytes.length) return undefined
  // Negative, zero, or padded further than the sign bit asks.
  if (first >= 0x80 || (length === 33 && first !== 0)) return undefined
  if (first === 0 && (length === 1 || second < 0x80)) return undefined
  return end
}
