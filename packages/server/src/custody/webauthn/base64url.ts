/**
 * Bytes of base64url text, with or without padding, or of the standard alphabet (custody protocol § 1.2); undefined for
 * any other text and for the empty one.
 */
export function readBase64url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_+/-]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length > 0 ? new Uint8Array(bytes) : undefined
}
