import {
  type ActivityRequest,
  activityTypes,
  type CreateAuthenticatorsParameters,
  type CreateAuthenticatorsResult,
  custodyPaths,
  type Timestamp,
} from 'latchkey-protocol'
import { createChunk } from '../../core/createChunk.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { fromBase64url } from '../../web/encoding.ts'
import type { NewPasskey } from '../../web/platform.ts'
import type { Authenticator } from '../Credentials.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { ActivityCall, Stamper } from '../runner/api/createCustodyApi.ts'
import { toMs } from '../runner/api/sessionKeys.ts'
import type { SignerContext } from '../runner/createContext.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { AddPasskeyOptions, User } from '../types.ts'
import { type ActiveSession, getActiveSession } from './getActiveSession.ts'

/** Table of provider names, which only lists of passkeys need. */
const providersChunk = /* @__PURE__ */ createChunk({
  name: 'passkey providers',
  import: () => import('../runner/keys/passkeyProviders.ts'),
})

/**
 * Longest wait for the list of passkeys to exclude. Short, because some browsers allow the prompt only shortly after
 * the click.
 */
const lookTimeoutMs = 2_000

/**
 * Creates a passkey and registers it for the signed-in user, authorized by the session's key or a second prompt.
 * Returns the ids of the new authenticators. Excludes the user's passkeys that can be listed without a prompt, so that
 * a device does not get a second passkey.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in is not
 * recent enough), `PASSKEY_CANCELLED`, `PASSKEY_EXISTS`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_UNSUPPORTED`.
 */
export async function addPasskey(runner: SignerRunner, { name, ...given }: AddPasskeyOptions = {}): Promise<string[]> {
  const { context } = runner
  const { custodyApi, passkeys } = context
  const active = getActiveSession(runner)
  const { user, send } = active
  const options = { ...given, publicKey: { excludeCredentials: await findOwn(context, active), ...given.publicKey } }
  const passkey = await passkeys.create({ username: user.email ?? name, options })
  const call = createAuthenticators(user, passkey, name)
  const added = send((stamp, signal) => custodyApi.submit(call, stamp, signal), 'person', options.signal)
  const result = await added.catch(async (error: unknown) => {
    // Only these codes mean that the service refused the passkey. After other failures it may be registered.
    if (error instanceof BaseError && refusals.has(error.code)) await passkeys.remove(passkey)
    throw error
  })
  const ids = (result as Partial<CreateAuthenticatorsResult> | undefined)?.authenticatorIds
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw new ResponseInvalidError('a new passkey')
  return ids
}

const refusals = new Set<string>(['REQUEST_NOT_AUTHORIZED', 'CONFIRMATION_EXPIRED', 'CONFIRMATION_REFUSED'])

async function findOwn(context: SignerContext, active: ActiveSession) {
  const { credentialId } = active.user
  const ids = new Set(credentialId === undefined ? [] : [credentialId])
  if (!active.promptsEachTime) {
    // Creates the passkey even if the list is unavailable. This device may then get a second passkey.
    const listed = await readListed(context, active, AbortSignal.timeout(lookTimeoutMs)).catch(() => [])
    for (const passkey of listed) ids.add(passkey.credentialId)
  }
  return [...ids].filter(isBase64url).map((id) => ({ type: 'public-key' as const, id: fromBase64url(id) }))
}

const isBase64url = (text: string) => /^[\w-]+$/.test(text)

/** Lists the signed-in user's passkeys, oldest first. */
export async function listAuthenticators(runner: SignerRunner): Promise<Authenticator[]> {
  const active = getActiveSession(runner)
  // The list also works without provider names.
  const table = providersChunk.load().catch(() => null)
  const listed = await readListed(runner.context, active)
  const providers = (await table)?.passkeyProviders
  return listed
    .map(({ authenticatorId: id, authenticatorName: name, credentialId, createdAt, lastUsedAt, aaguid }) => {
      const provider = providers?.get(String(aaguid).replaceAll('-', '').toLowerCase()) ?? null
      const isCurrent = credentialId === active.user.credentialId
      const lastUsedAtMs = toMs(lastUsedAt) || null
      return { id, name, credentialId, createdAtMs: toMs(createdAt), lastUsedAtMs, provider, isCurrent }
    })
    .sort((a, b) => a.createdAtMs - b.createdAtMs)
}

async function readListed(
  { custodyApi }: SignerContext,
  { user: { orgId, userId }, send }: ActiveSession,
  own?: AbortSignal,
): Promise<Listed[]> {
  const body = { organizationId: orgId, userId }
  const ask = (stamp: Stamper, signal: AbortSignal) =>
    custodyApi.query(custodyPaths.getAuthenticators, body, stamp, signal)
  const response = await send(ask, 'session', own)
  const listed = (response as { authenticators?: unknown } | null)?.authenticators
  if (!Array.isArray(listed) || !listed.every(isListed)) throw new ResponseInvalidError('its passkeys')
  return listed
}

/** Creates the activity in the documented member order, because the stamp covers the exact text. */
function createAuthenticators(
  { orgId, userId }: User,
  { attestation: made, challenge }: NewPasskey,
  name?: string,
): ActivityCall {
  const { credentialId, attestationObject, clientDataJson, transports } = made
  const attestation = { credentialId, attestationObject, clientDataJson, transports }
  return {
    path: custodyPaths.createAuthenticators,
    resultKey: 'createAuthenticatorsResult',
    body: (timestampMs) =>
      JSON.stringify({
        type: activityTypes.createAuthenticators,
        timestampMs: String(timestampMs),
        organizationId: orgId,
        parameters: {
          userId,
          authenticators: [{ attestation, authenticatorName: name ?? `passkey-${timestampMs}`, challenge }],
        },
      } satisfies ActivityRequest<CreateAuthenticatorsParameters>),
  }
}

type Listed = {
  authenticatorId: string
  authenticatorName: string
  credentialId: string
  createdAt: Timestamp
  lastUsedAt?: Timestamp
  aaguid?: unknown
}

function isListed(value: unknown): value is Listed {
  const { authenticatorId, credentialId } = (value ?? {}) as Partial<Listed>
  return typeof authenticatorId === 'string' && typeof credentialId === 'string'
}
