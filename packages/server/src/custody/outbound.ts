import { ServerError } from '../platform/errors/ServerError.ts'
import { fetchBounded } from '../platform/http/fetchBounded.ts'
import { isPrivateHost, publicLookup } from '../platform/http/publicLookup.ts'
import type { TrustedProject } from '../store/upsertProject.ts'

/** Maximum milliseconds of fetching a provider's key set. Only requests with tokens of this provider wait for it. */
const timeoutMs = 3_000
/** Maximum size of a key set. Large providers' key sets have a few kilobytes. */
const maxBytes = 64_000

/**
 * Fetches a key set of a configured provider. Custody sends no other requests to external hosts. Uses only the exact
 * URLs of the projects file, without redirects. Connects only to public IP addresses, unless the provider is configured
 * as private.
 *
 * @throws `NETWORK_UNREACHABLE`, `TIMEOUT`, `RESPONSE_INVALID`; `INTERNAL` for a URL that is not configured.
 */
export async function fetchKeySet(projects: readonly TrustedProject[], url: string): Promise<Uint8Array> {
  const allowed = projects.flatMap(({ oidcProviders }) => oidcProviders).filter(({ jwksUrl }) => jwksUrl === url)
  if (allowed.length === 0)
    throw new ServerError('Custody sends no request to a URL that its projects file does not name.', {
      code: 'INTERNAL',
      status: 500,
    })
  const isPublic = allowed.every(({ network }) => network === 'public')
  const what = 'The key set of the identity provider'
  if (isPublic && isPrivateHost(new URL(url).hostname)) throw unreachable(what)
  const { status, body } = await fetchBounded(url, {
    what,
    timeoutMs,
    maxBytes,
    connection: isPublic ? { lookup: publicLookup } : {},
  })
  if (status === 200) return body
  throw unreachable(what)
}

function unreachable(what: string): ServerError {
  return new ServerError(`${what} cannot be read. Try again in a minute, or sign in by email.`, {
    code: 'NETWORK_UNREACHABLE',
    status: 502,
  })
}
