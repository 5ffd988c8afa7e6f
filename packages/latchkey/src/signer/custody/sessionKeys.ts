import { fromBase64url } from '../../web/passkey/base64url.ts'
import { type ApiKeyStamp, custodyPaths, type Stamp, type Timestamp } from '../../wire/custody.ts'
import { headers } from '../../wire/headers.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { SessionKey, User } from '../types.ts'
import type { CustodyApi } from './createCustodyApi.ts'
import type { Stamper } from './createCustodyClient.ts'
import { toMs } from './toMs.ts'

type ApiKey = {
  apiKeyId: string
  apiKeyName: string
  credential: { publicKey: string; type: string }
  createdAt: Timestamp
  expirationSeconds?: string
}

/** The keys that sign for a user. `isCurrent`: the one named, else the one that stamps this very request. */
export async function sessionKeys(
  custody: CustodyApi,
  { orgId, userId }: User,
  options: { stamp: Stamper; own?: string | undefined; signal?: AbortSignal | undefined },
): Promise<SessionKey[]> {
  let own = options.own
  const stamp: Stamper = async (body) => {
    const made = await options.stamp(body)
    own ??= publicKeyOf(made)
    return made
  }
  const body = JSON.stringify({ organizationId: orgId, userId })
  const { apiKeys } = ((await custody.query(custodyPaths.getApiKeys, body, stamp, options.signal)) ?? {}) as {
    apiKeys?: readonly ApiKey[]
  }
  if (!Array.isArray(apiKeys) || !apiKeys.every(isApiKey)) throw new ResponseInvalidError('its keys')
  return apiKeys.map(({ apiKeyId, apiKeyName, credential, createdAt, expirationSeconds }) => {
    const createdAtMs = toMs(createdAt)
    const expiresAtMs = expirationSeconds === undefined ? null : createdAtMs + Number(expirationSeconds) * 1000
    return { id: apiKeyId, name: apiKeyName, createdAtMs, expiresAtMs, isCurrent: credential.publicKey === own }
  })
}

/** Public key of an API-key stamp; undefined for a passkey's. */
function publicKeyOf({ stampHeaderName, stampHeaderValue }: Stamp): string | undefined {
  if (stampHeaderName !== headers.apiKeyStamp) return undefined
  return (JSON.parse(new TextDecoder().decode(fromBase64url(stampHeaderValue))) as ApiKeyStamp).publicKey
}

function isApiKey(value: unknown): value is ApiKey {
  const key = value as Partial<ApiKey> | null
  return typeof key?.apiKeyId === 'string' && typeof key.credential?.publicKey === 'string'
}
