/** Nothing loads but the page's own script and style, nothing is sent, and text never becomes markup. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

/**
 * Headers of every response of a frame's origin. Only the given origins may embed it (CSP Level 3 § 6.4.2), also when they
 * are cross-origin isolated themselves (HTML § 7.1.4).
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
 * Headers of the page on which people confirm: never embedded (also RFC 7034), cut off from the page that opened it
 * (HTML § 7.1.3), and connected with custody alone.
 */
export function confirmationHeaders(custodyUrl: string): Record<string, string> {
  return {
    ...frameHeaders([]),
    'content-security-policy': `${policy}; connect-src ${new URL(custodyUrl).origin}; frame-ancestors 'none'`,
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
}

/** Of a script or style sheet: anyone may read it, also a frame whose sandbox gives it no origin. */
export const assetHeaders: Record<string, string> = { ...frameHeaders([]), 'access-control-allow-origin': '*' }
