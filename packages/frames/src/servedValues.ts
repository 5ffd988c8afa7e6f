// Values that the server writes into a page's meta tags. The readers fail closed without them.

/**
 * Returns the origins in `<meta name="latchkey-parent-origins">`, space-separated; none if the placeholder is still
 * there.
 */
export function readAllowedOrigins(): string[] {
  return readMeta('latchkey-parent-origins')
    .split(/\s+/)
    .filter((origin) => /^https?:\/\/[^/]+$/.test(origin))
}

/**
 * Returns the key that signs export and import bundles, in `<meta name="latchkey-bundle-signing-key">`: uncompressed
 * P-256 point, 130 hex digits. Null if the placeholder is still there.
 */
export function readSigningKey(): string | null {
  const content = readMeta('latchkey-bundle-signing-key')
  return /^04[0-9a-f]{128}$/.test(content) ? content : null
}

/** Returns custody's URL in `<meta name="latchkey-custody-url">`. */
export function readCustodyUrl(): string {
  return readMeta('latchkey-custody-url')
}

function readMeta(name: string): string {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''
}
