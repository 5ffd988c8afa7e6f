/** An ECDSA signature of WebCrypto, `r || s`, as ASN.1 DER (RFC 3279 § 2.2.3). */
export function toDer(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const half = signature.length / 2
  const numbers = [signature.subarray(0, half), signature.subarray(half)].flatMap((part) => integer(part))
  return Uint8Array.from([0x30, numbers.length, ...numbers])
}

/** Without leading zeros, but with one where the first bit would mean a minus. */
function integer(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0)
  const short = [...bytes.subarray(first === -1 ? bytes.length - 1 : first)]
  const value = (short[0] ?? 0) > 0x7f ? [0, ...short] : short
  return [0x02, value.length, ...value]
}
