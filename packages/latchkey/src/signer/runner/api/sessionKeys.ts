import {
  type ApiKeyStamp,
  custodyPaths,
  headers,
  type KeyScope,
  type Stamp,
  type Timestamp,
  type WebauthnStamp,
} from 'latchkey-protocol'
import { fromBase64url } from '../../../web/encoding.ts'
import type { SessionKey } from '../../Credentials.ts'
import { ResponseInvalidError } from '../../errors/custodyErrors.ts'
import type { User } from '../../types.ts'
import { activity, type CustodyApi, type Stamper } from './createCustodyApi.ts'

type ApiKey = {
  apiKeyId: string
  apiKeyName: string
  credential: { publicKey: string; type: string }
  createdAt: Timestamp
  lastUsedAt?: Timestamp
  expirationSeconds?: string
  scope?: KeyScope
}

/**
 * Lists the keys that sign for a user. `isCurrent` marks the key `own`, by default the key that stamps this request.
 */
export async function listSessionKeys(
  custodyApi: CustodyApi,
  { orgId, userId }: User,
  options: { stamp: Stamper; own?: string | undefined; signal?: AbortSignal | undefined },
): Promise<SessionKey[]> {
  let own = options.own
  const stamp: Stamper = async (body) => {
    const made = await options.stamp(body)
    own ??= readCredential(made)
    return made
  }
  const body = { organizationId: orgId, userId }
  const response = await custodyApi.query(custodyPaths.getApiKeys, body, stamp, options.signal)
  const { apiKeys } = (response ?? {}) as { apiKeys?: readonly ApiKey[] }
  if (!Array.isArray(apiKeys) || !apiKeys.every(isApiKey)) throw new ResponseInvalidError('its keys')
  return apiKeys.map(({ apiKeyId, apiKeyName, credential, createdAt, lastUsedAt, expirationSeconds, scope }) => {
    const createdAtMs = toMs(createdAt)
    const expiresAtMs = expirationSeconds === undefined ? null : createdAtMs + Number(expirationSeconds) * 1000
    const lastUsedAtMs = toMs(lastUsedAt) || null
    const isCurrent = credential.publicKey === own
    return {
      id: apiKeyId,
      name: apiKeyName,
      createdAtMs,
      lastUsedAtMs,
      expiresAtMs,
      isCurrent,
      ...(scope && { scope }),
    }
  })
}

/** Longest wait for revoking a key. Short, because the key expires anyway. */
const revokeTimeoutMs = 3_000

/** Revokes the key that stamps the request. */
export async function revokeStampKey(custodyApi: CustodyApi, user: User, stamp: Stamper): Promise<void> {
  const signal = AbortSignal.timeout(revokeTimeoutMs)
  const keys = await listSessionKeys(custodyApi, user, { stamp, signal })
  const apiKeyIds = keys.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)
  if (apiKeyIds.length === 0) return
  const { orgId, userId } = user
  await custodyApi.submit(activity('deleteApiKeys', orgId, { userId, apiKeyIds }), stamp, signal)
}

/** Converts a timestamp of custody to milliseconds since 1970; 0 if undefined. */
export function toMs(timestamp: Timestamp | undefined): number {
  return Number(timestamp?.seconds ?? 0) * 1000 + Math.floor(Number(timestamp?.nanos ?? 0) / 1e6)
}

/** Returns the credential in a stamp: an API key's public key in hex, or a passkey's base64url id. */
export function readCredential({ stampHeaderName, stampHeaderValue }: Stamp): string {
  if (stampHeaderName !== headers.apiKeyStamp) return (JSON.parse(stampHeaderValue) as WebauthnStamp).credentialId
  return (JSON.parse(new TextDecoder().decode(fromBase64url(stampHeaderValue))) as ApiKeyStamp).publicKey
}

function isApiKey(value: unknown): value is ApiKey {
  const key = value as Partial<ApiKey> | null
  return typeof key?.apiKeyId === 'string' && typeof key.credential?.publicKey === 'string'
}
