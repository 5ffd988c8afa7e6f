import { getJson } from '../../core/http/getJson.ts'
import { type PublicConfig, signerApiPaths, signerApiPrefix } from '../../wire/signerApi.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { Endpoints } from '../types.ts'
import { isConfig } from './isConfig.ts'

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
  if (!isConfig(answer)) throw new ResponseInvalidError('its configuration')
  return answer
}
