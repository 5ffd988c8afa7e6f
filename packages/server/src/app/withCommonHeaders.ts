import { isThisMachine } from '../platform/http/fetchBounded.ts'

/** Default headers of every response: no scripts, embedding, type sniffing, caching or referrer. */
const common = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** A year (RFC 6797 § 6.1.1). Excludes subdomains, which belong to other servers. */
const strictTransport = 'max-age=31536000'

export declare namespace withCommonHeaders {
  type Options = {
    /** Host name of the request. */
    hostname: string
    /**
     * Whether to require https for this host (HSTS). Never set for this machine's host names, since other local servers
     * share them.
     */
    isProduction: boolean
  }
}

/** Adds the common headers to a response of any role, and keeps headers that the response already has. */
export function withCommonHeaders(response: Response, { hostname, isProduction }: withCommonHeaders.Options): Response {
  const { headers } = response
  for (const [name, value] of Object.entries(common)) if (!headers.has(name)) headers.set(name, value)
  if (isProduction && !isThisMachine(hostname)) headers.set('strict-transport-security', strictTransport)
  return response
}
