/** Answer for a page: it can use the passkey, only the browser knows, or it cannot. */
export type Fit = 'same' | 'related' | 'none'

export declare namespace fitsSite {
  type Parameters = {
    /** Domain of the passkey's site. */
    rpId: string
    /** Location of the page. */
    place: Pick<Location, 'protocol' | 'hostname'>
    /** Whether the browser supports related origins; undefined if it does not say. */
    hasRelatedOrigins?: boolean | undefined
  }
}

/**
 * Checks whether a page may use the passkeys of a site (WebAuthn Level 3, sections 5.1.4.1 and 5.11). Related origins
 * are known to the browser alone, which reads their list from the site.
 */
export function fitsSite({ rpId, place, hasRelatedOrigins = true }: fitsSite.Parameters): Fit {
  const { protocol, hostname } = place
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal)) return 'none'
  if (hostname === rpId || hostname.endsWith(`.${rpId}`)) return 'same'
  return hasRelatedOrigins && protocol === 'https:' ? 'related' : 'none'
}
