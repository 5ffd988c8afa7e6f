import type { StoragePort } from '../../core/storage/StoragePort.ts'
import type { Endpoints } from '../types.ts'
import { isConfig } from './isConfig.ts'

export declare namespace keepConfig {
  type Parameters = {
    endpoints: Endpoints
    /** The tab's own: what it holds ends with it. */
    storage: StoragePort
    key: string
    now?: (() => number) | undefined
  }
  type ReturnType = Endpoints
}

const lifeMs = 600_000

/** Keeps what a server told of itself for ten minutes, so that a reload does not ask again before it signs in. */
export function keepConfig(parameters: keepConfig.Parameters): keepConfig.ReturnType {
  const { endpoints, storage, key, now = Date.now } = parameters
  const { signerApiUrl } = endpoints
  return {
    signerApiUrl,
    async getConfig() {
      const kept = read(storage.getItem(key))
      const isFresh = kept?.signerApiUrl === signerApiUrl && Number(kept.until) > now()
      if (isFresh && isConfig(kept.config)) return kept.config
      const config = await endpoints.getConfig()
      storage.setItem(key, JSON.stringify({ signerApiUrl, until: now() + lifeMs, config }))
      return config
    },
  }
}

function read(text: string | null): { signerApiUrl?: unknown; until?: unknown; config?: unknown } | null {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
