import { getJson } from '../../core/http/getJson.ts'
import { type PublicConfig, signerApiPaths, signerApiPrefix } from '../../wire/signerApi.ts'
import { responseInvalidError } from '../errors.ts'
import type { Endpoints } from '../types.ts'

export declare namespace latchkeyEndpoints {
  /** Base URL of a Latchkey signer API, for example `http://localhost:4101`. */
  type Parameters = string
  type ReturnType = Endpoints
}

/**
 * A Latchkey server. Its other addresses are asked for once, at `GET {url}/signer/v1/config`, when first needed; a
 * failure is forgotten, so that the next call asks again.
 */
export function latchkeyEndpoints(url: latchkeyEndpoints.Parameters): latchkeyEndpoints.ReturnType {
  const base = url.replace(/\/+$/, '')
  let asked: Promise<PublicConfig> | undefined
  return {
    signerApiUrl: base,
    getConfig() {
      asked ??= fetchConfig(base).catch((error: unknown) => {
        asked = undefined
        throw error
      })
      return asked
    },
  }
}

async function fetchConfig(base: string): Promise<PublicConfig> {
  const answer = await getJson({ url: `${base}${signerApiPrefix}${signerApiPaths.config}`, timeoutMs: 10_000 })
  if (!isConfig(answer)) throw responseInvalidError('its configuration')
  return answer
}

function isConfig(value: unknown): value is PublicConfig {
  if (typeof value !== 'object' || value === null) return false
  const config = value as Partial<Record<keyof PublicConfig, unknown>>
  const urls = [config.custodyUrl, config.authFrameUrl, config.exportFrameUrl, config.importFrameUrl]
  return urls.every(isUrl) && typeof config.rootOrgId === 'string'
}

function isUrl(value: unknown): boolean {
  try {
    return typeof value === 'string' && /^https?:$/.test(new URL(value).protocol)
  } catch {
    return false
  }
}
