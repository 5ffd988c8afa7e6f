/**
 * Whether a value is the embedded key of a frame: an uncompressed P-256 point, 130 hex digits. Apart from the other guards,
 * which a page has in its first load.
 */
export function isFrameKey(value: unknown): value is string {
  return typeof value === 'string' && /^04[0-9a-f]{128}$/i.test(value)
}
