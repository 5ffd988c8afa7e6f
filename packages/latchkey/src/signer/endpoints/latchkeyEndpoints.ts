import { getJson } from '../../core/http/requestJson.ts'
import { type PublicConfig, signerApiPaths, signerApiPrefix } from '../../wire/signerApi.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { Endpoints } from '../types.ts'
import { isConfig } from './isConfig.ts'

export declare namespace latchkeyEndpoints {
  type Options = {
    /** Needed only where several projects of the server allow this page's origin: says which one is meant. */
    apiKey?: string | undefined
  }
  type ReturnType = Endpoints
}

/**
 * A Latchkey server, by the base URL of its signer API, for example `http://localhost:4101`. Its other addresses are
 * asked for once, at `GET {url}/signer/v1/config`, when first needed; a failure is forgotten, so that the next call
 * asks again.
 */
export function latchkeyEndpoints(
  url: string,
  { apiKey }: latchkeyEndpoints.Options = {},
): latchkeyEndpoints.ReturnType {
  const base = url.replace(/\/+$/, '')
  let asked: Promise<PublicConfig> | undefined
  return {
    signerApiUrl: base,
    getConfig() {
      asked ??= fetchConfig(base, apiKey).catch((error: unknown) => {
        asked = undefined
        throw error
      })
      return asked
    },
  }
}

async function fetchConfig(base: string, apiKey: string | undefined): Promise<PublicConfig> {
  const answer = await getJson({
    url: `${base}${signerApiPrefix}${signerApiPaths.config}`,
    timeoutMs: 10_000,
    // Without it the browser asks in one round trip: any header of ours costs a preflight.
    ...(apiKey && { headers: { Authorization: `Bearer ${apiKey}` } }),
  })
  if (!isConfig(answer)) throw new ResponseInvalidError('its configuration')
  return answer
}
