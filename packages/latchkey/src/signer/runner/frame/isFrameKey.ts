/**
 * Checks for a frame's embedded key: an uncompressed P-256 point, 130 hex digits. Separate from the other guards, which
 * are part of a page's first load.
 */
export function isFrameKey(value: unknown): value is string {
  return typeof value === 'string' && /^04[0-9a-f]{128}$/i.test(value)
}
