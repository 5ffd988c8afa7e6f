/**
 * The key that signs export and import bundles, which the server filled into `<meta name="latchkey-bundle-signing-key">`:
 * uncompressed P-256 point, 130 hex digits. Fails closed: null when the placeholder was never filled.
 */
export function readSigningKey(): string | null {
  const content = document.querySelector('meta[name="latchkey-bundle-signing-key"]')?.getAttribute('content') ?? ''
  return /^04[0-9a-f]{128}$/.test(content) ? content : null
}
