// The values that the server writes into the meta tags of a page. The readers fail closed where it has not.

/** The origins in `<meta name="latchkey-parent-origins">`, space-separated; none when the placeholder is still there. */
export function readAllowedOrigins(): string[] {
  return readMeta('latchkey-parent-origins')
    .split(/\s+/)
    .filter((origin) => /^https?:\/\/[^/]+$/.test(origin))
}

/**
 * The key that signs export and import bundles, in `<meta name="latchkey-bundle-signing-key">`: uncompressed P-256
 * point, 130 hex digits. Null when the placeholder is still there.
 */
export function readSigningKey(): string | null {
  const content = readMeta('latchkey-bundle-signing-key')
  return /^04[0-9a-f]{128}$/.test(content) ? content : null
}

/** Custody's URL in `<meta name="latchkey-custody-url">`. */
export function readCustodyUrl(): string {
  return readMeta('latchkey-custody-url')
}

function readMeta(name: string): string {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''
}
