import { type PublicConfig, signerApiPaths, signerApiPrefix } from 'latchkey-protocol'
import { getJson } from '../core/http/requestJson.ts'
import type { StoragePort } from '../core/storage/StoragePort.ts'
import { ResponseInvalidError } from './errors/custodyErrors.ts'
import type { Trust } from './runner/trust/createTrust.ts'
import type { Endpoints, PinnedServer } from './types.ts'

/**
 * Endpoints of the hosted provider.
 *
 * @example
 * ```ts
 * import { alchemyEndpoints, createSigner } from 'latchkey/signer'
 *
 * const signer = createSigner({
 *   client: { connection: { apiKey: 'api-key' }, endpoints: alchemyEndpoints },
 * })
 * ```
 */
export const alchemyEndpoints: Endpoints = {
  signerApiUrl: 'https://api.g.alchemy.com',
  getConfig: async () => ({
    custodyUrl: 'https://api.turnkey.com',
    authFrameUrl: 'https://auth.turnkey.com',
    exportFrameUrl: 'https://export.turnkey.com',
    importFrameUrl: 'https://import.turnkey.com',
    rootOrgId: '24c1acf5-810f-41e0-a503-d5d13fa8e830',
  }),
}

export declare namespace latchkeyEndpoints {
  type Options = {
    /** Selects the project. Needed only if several projects of the server allow this page's origin. */
    apiKey?: string | undefined
    /** Expected values of the server's other endpoints. @default values of this browser's first visit */
    pinned?: PinnedServer | undefined
  }
  type ReturnType = Endpoints
}

/**
 * Returns a Latchkey server's endpoints from the base URL of its signer API. The other URLs are fetched once, from `GET
 * {url}/signer/v1/config`, when first needed; after a failure the next call retries. In production also set `pinned`,
 * so that a compromised signer service cannot redirect users to other frames.
 *
 * @throws `HTTP_FAILED`, `NETWORK_UNREACHABLE`, `RESPONSE_INVALID`, `TIMEOUT` (of `getConfig`).
 *
 * @example
 * ```ts
 * import { createSigner, latchkeyEndpoints } from 'latchkey/signer'
 *
 * const signer = createSigner({
 *   client: { connection: { apiKey: 'project-key' }, endpoints: latchkeyEndpoints('http://localhost:4101') },
 * })
 * ```
 */
export function latchkeyEndpoints(
  url: string,
  { apiKey, pinned }: latchkeyEndpoints.Options = {},
): latchkeyEndpoints.ReturnType {
  const base = url.replace(/\/+$/, '')
  let fetched: Promise<PublicConfig> | undefined
  return {
    signerApiUrl: base,
    pinned,
    getConfig() {
      fetched ??= fetchConfig(base, apiKey).catch((error: unknown) => {
        fetched = undefined
        throw error
      })
      return fetched
    },
  }
}

async function fetchConfig(base: string, apiKey: string | undefined): Promise<PublicConfig> {
  const config = await getJson({
    url: `${base}${signerApiPrefix}${signerApiPaths.config}`,
    timeoutMs: 10_000,
    // Omits the header without an API key, because custom headers cause a preflight request.
    ...(apiKey && { headers: { Authorization: `Bearer ${apiKey}` } }),
  })
  if (!isConfig(config)) throw new ResponseInvalidError('its configuration')
  return config
}

export declare namespace keepConfig {
  type Parameters = {
    endpoints: Endpoints
    /** Session storage of the tab, deleted when the tab is closed. */
    storage: StoragePort
    key: string
    trust: Pick<Trust, 'checkConfig'>
    now?: (() => number) | undefined
  }
  type ReturnType = Endpoints
}

const keptForMs = 600_000

/**
 * Caches a server's configuration for ten minutes, so that a reloaded page can sign in without fetching it. Every use
 * compares the cached values with the pins.
 *
 * @throws `ENDPOINTS_CHANGED` (of `getConfig`).
 */
export function keepConfig(parameters: keepConfig.Parameters): keepConfig.ReturnType {
  const { endpoints, storage, key, trust, now = Date.now } = parameters
  const { signerApiUrl } = endpoints
  const keep = {
    async getConfig() {
      const kept = parse(storage.getItem(key))
      const isFresh = kept?.signerApiUrl === signerApiUrl && Number(kept.until) > now()
      if (isFresh && isConfig(kept.config)) return kept.config
      const config = await endpoints.getConfig()
      storage.setItem(key, JSON.stringify({ signerApiUrl, until: now() + keptForMs, config }))
      return config
    },
  }
  return {
    ...endpoints,
    async getConfig() {
      const config = await keep.getConfig()
      trust.checkConfig(config)
      return config
    },
  }
}

function parse(text: string | null): { signerApiUrl?: unknown; until?: unknown; config?: unknown } | null {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

function isConfig(value: unknown): value is PublicConfig {
  if (typeof value !== 'object' || value === null) return false
  const config = value as Partial<Record<keyof PublicConfig, unknown>>
  const urls = [config.custodyUrl, config.authFrameUrl, config.exportFrameUrl, config.importFrameUrl]
  return urls.every(isHttpUrl) && typeof config.rootOrgId === 'string'
}

function isHttpUrl(value: unknown): boolean {
  try {
    return typeof value === 'string' && /^https?:$/.test(new URL(value).protocol)
  } catch {
    return false
  }
}
