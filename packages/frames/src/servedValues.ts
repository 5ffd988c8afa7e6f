// Values that the server writes into meta tags. If a tag is missing, the readers refuse all origins or keys.

/**
 * Returns the space-separated origins in `<meta name="latchkey-parent-origins">`. Returns none if the tag still
 * contains the placeholder.
 */
export function readAllowedOrigins(): string[] {
  return readMeta('latchkey-parent-origins')
    .split(/\s+/)
    .filter((origin) => /^https?:\/\/[^/]+$/.test(origin))
}

/**
 * Returns the public key that verifies export and import bundles, from `<meta name="latchkey-bundle-signing-key">`:
 * uncompressed P-256 point, 130 hex digits. Returns null if the tag still contains the placeholder.
 */
export function readSigningKey(): string | null {
  const content = readMeta('latchkey-bundle-signing-key')
  return /^04[0-9a-f]{128}$/.test(content) ? content : null
}

/** Returns custody's URL in `<meta name="latchkey-custody-url">`. */
export function readCustodyUrl(): string {
  return readMeta('latchkey-custody-url')
}

/** Returns the gateway's URL in `<meta name="latchkey-gateway-url">`; empty if the server has none. */
export function readGatewayUrl(): string {
  const url = readMeta('latchkey-gateway-url')
  return url.startsWith('http') ? url : ''
}

function readMeta(name: string): string {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''
}
