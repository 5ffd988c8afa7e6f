/** Allows a page only its own script and style, no requests, and no markup from text. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

/**
 * Returns the headers of every response of a frame's origin. Only the given origins may embed it (CSP Level 3 § 6.4.2),
 * even if cross-origin isolated (HTML § 7.1.4).
 */
export function frameHeaders(parentOrigins: readonly string[]): Record<string, string> {
  const ancestors = parentOrigins.length > 0 ? parentOrigins.join(' ') : "'none'"
  return {
    'content-security-policy': `${policy}; frame-ancestors ${ancestors}`,
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': parentOrigins.length > 0 ? 'cross-origin' : 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

/**
 * Returns the headers of the confirmation page: never embedded (also RFC 7034), isolated from its opener (HTML §
 * 7.1.3), and allowed to connect only to the given URLs: custody and gateway.
 */
export function confirmationHeaders(urls: readonly string[]): Record<string, string> {
  return {
    ...frameHeaders([]),
    'content-security-policy': `${policy}; connect-src ${urls.map((url) => new URL(url).origin).join(' ')}; frame-ancestors 'none'`,
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
}

/** Headers of a script or style sheet: readable by anyone, including sandboxed frames without an origin. */
export const assetHeaders: Record<string, string> = { ...frameHeaders([]), 'access-control-allow-origin': '*' }
