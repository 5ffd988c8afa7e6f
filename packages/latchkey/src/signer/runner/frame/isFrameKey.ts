/**
 * Checks for a frame's public key: an uncompressed P-256 point, 130 hex digits. Not in `guards.ts`, which is part of a
 * page's first load.
 */
export function isFrameKey(value: unknown): value is string {
  return typeof value === 'string' && /^04[0-9a-f]{128}$/i.test(value)
}
