import type { ServerError } from './ServerError.ts'

/** Headers that belong to an error: `Retry-After` in whole seconds, rounded up (RFC 9110 § 10.2.3). */
export function errorHeaders(error: Pick<ServerError, 'retryAfterMs'>): Record<string, string> {
  if (error.retryAfterMs === undefined) return {}
  return { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))) }
}
