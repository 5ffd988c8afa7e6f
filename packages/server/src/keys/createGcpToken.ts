import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'
import { fetchBounded } from '../platform/http/fetchBounded.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'

export declare namespace createGcpToken {
  type Parameters = {
    /** @default Google's metadata server */
    metadataUrl?: string | undefined
    /** Milliseconds of a monotonic clock. @default performance.now */
    now?: (() => number) | undefined
  }
  type ReturnType = {
    /** Returns a token that is valid for at least a minute. */
    read(timeoutMs: number): Promise<string>
    /** Forgets a token that was refused. */
    forget(token: string): void
  }
}

const path = '/computeMetadata/v1/instance/service-accounts/default/token'
/** The metadata server issues a new token five minutes before the old one expires. */
const marginMs = 60_000
/** Link-local addresses cannot belong to another host. This matters because the token is requested over plain http. */
const hosts = /^(?:metadata\.google\.internal|169\.254\.169\.254|\[fd20:ce::254\]|localhost|127\.0\.0\.1)$/

/**
 * Creates a reader of access tokens of this process's service account, from the metadata server of Compute Engine,
 * Cloud Run or GKE (workload identity). Caches a token until a minute before it expires.
 *
 * @throws `CONFIG_INVALID`; the reader `KEY_SERVICE_FAILED` (503) | `TIMEOUT` (504) | `NETWORK_UNREACHABLE` (502)
 */
export function createGcpToken(parameters: createGcpToken.Parameters): createGcpToken.ReturnType {
  const { metadataUrl = 'http://metadata.google.internal', now = () => performance.now() } = parameters
  if (!hosts.test(parseUrl(metadataUrl)?.hostname ?? ''))
    throw configInvalid('Key encryption by Google Cloud KMS takes tokens from the metadata server alone.')
  let known: { token: string; until: number } | undefined
  let asking: Promise<{ token: string; until: number }> | undefined

  async function ask(timeoutMs: number) {
    const response = await fetchBounded(`${metadataUrl.replace(/\/+$/, '')}${path}`, {
      what: 'The metadata server of Google Cloud',
      timeoutMs,
      maxBytes: 65_536,
      headers: { 'metadata-flavor': 'Google' },
    })
    const found = response.status === 200 && response.headers['metadata-flavor'] === 'Google' && read(response.body)
    if (!found)
      throw new ServerError(
        `The metadata server of Google Cloud gave no token (status ${response.status}). Give this machine, service or pod a service account.`,
        { code: 'KEY_SERVICE_FAILED', status: 503 },
      )
    return { token: found.token, until: now() + found.seconds * 1_000 - marginMs }
  }

  return {
    async read(timeoutMs) {
      if (known && now() < known.until) return known.token
      asking ??= ask(timeoutMs).finally(() => {
        asking = undefined
      })
      known = await asking
      return known.token
    },
    forget(token) {
      if (known?.token === token) known = undefined
    },
  }
}

function read(body: Uint8Array): { token: string; seconds: number } | undefined {
  try {
    const { access_token: token, expires_in: seconds } = JSON.parse(new TextDecoder().decode(body))
    const isToken = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)
    return isToken && typeof seconds === 'number' ? { token, seconds } : undefined
  } catch {
    return undefined
  }
}
