import { isThisMachine } from '../platform/http/fetchBounded.ts'

/** Of every response that does not say otherwise: nothing runs, embeds, guesses its type, keeps it, or learns where it was read. */
const common = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** A year (RFC 6797 § 6.1.1). Not for names below: those are other servers' business. */
const strictTransport = 'max-age=31536000'

export declare namespace withCommonHeaders {
  type Options = {
    /** As the request names it. */
    hostname: string
    /** Browsers use https alone for this host from then on; never on this machine, whose names other pages share. */
    isProduction: boolean
  }
}

/** A response with the headers that all have, of any role; those that it has stay. */
export function withCommonHeaders(response: Response, { hostname, isProduction }: withCommonHeaders.Options): Response {
  const { headers } = response
  for (const [name, value] of Object.entries(common)) if (!headers.has(name)) headers.set(name, value)
  if (isProduction && !isThisMachine(hostname)) headers.set('strict-transport-security', strictTransport)
  return response
}
