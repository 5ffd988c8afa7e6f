import { randomUUID } from 'node:crypto'

export const requestIdHeader = 'x-request-id'

const ids = new WeakMap<Request, string>()

/**
 * One id for a request, in every log line about it and in the answer's `X-Request-Id`: the one that came with it, when it
 * is plain, so that one id leads through several roles; else a new one.
 */
export function requestId(request: Request): string {
  const known = ids.get(request)
  if (known !== undefined) return known
  const given = request.headers.get(requestIdHeader)
  const id = given !== null && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
  ids.set(request, id)
  return id
}
