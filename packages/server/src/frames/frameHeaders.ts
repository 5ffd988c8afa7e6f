/**
 * Headers of every answer of a frame's origin: nothing loads but the page's own script and style, and only the given
 * origins may embed it (CSP Level 3 § 6.4.2).
 */
export function frameHeaders(parentOrigins: readonly string[]): Record<string, string> {
  const ancestors = parentOrigins.length > 0 ? parentOrigins.join(' ') : "'none'"
  return {
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors}`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}
