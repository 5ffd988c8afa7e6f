import { BaseError } from '../../core/errors/BaseError.ts'
import type { NewPasskey } from '../../web/platform.ts'
import {
  type ActivityRequest,
  activityTypes,
  type CreateAuthenticatorsParameters,
  type CreateAuthenticatorsResult,
  custodyPaths,
  type Timestamp,
} from '../../wire/custody.ts'
import { type ActivityCall, activity } from '../api/createCustodyApi.ts'
import { toMs } from '../api/sessionKeys.ts'
import type { SignerContext } from '../createContext.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import type { AddPasskeyOptions, Authenticator, User, WaitOptions } from '../types.ts'
import type { ActiveSession } from './getActiveSession.ts'

/**
 * Makes a passkey and registers it for the user signed in, by the session's key or a second prompt. Returns the ids of
 * the new authenticators.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in is not recent
 * enough), `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_UNSUPPORTED`.
 */
export async function addPasskey(
  { custodyApi, passkeys }: SignerContext,
  { user, send }: ActiveSession,
  { name, ...options }: AddPasskeyOptions = {},
): Promise<string[]> {
  const passkey = await passkeys.create({ username: user.email ?? 'anonymous', options })
  const call = createAuthenticators(user, passkey, name)
  const added = send((stamp, signal) => custodyApi.submit(call, stamp, signal), 'person', options.signal)
  const result = await added.catch(async (error: unknown) => {
    // The service has not taken it. After any other failure it may be registered even so.
    if (error instanceof BaseError && refusals.has(error.code)) await passkeys.remove(passkey)
    throw error
  })
  const ids = (result as Partial<CreateAuthenticatorsResult> | undefined)?.authenticatorIds
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) throw new ResponseInvalidError('a new passkey')
  return ids
}

const refusals = new Set<string>(['REQUEST_NOT_AUTHORIZED', 'CONFIRMATION_EXPIRED', 'CONFIRMATION_REFUSED'])

/** The passkeys of the user signed in, oldest first. */
export async function listAuthenticators(
  { custodyApi }: SignerContext,
  { user, send }: ActiveSession,
): Promise<Authenticator[]> {
  const { orgId, userId, credentialId: own } = user
  const body = { organizationId: orgId, userId }
  const response = await send((stamp, signal) => custodyApi.query(custodyPaths.getAuthenticators, body, stamp, signal))
  const listed = (response as { authenticators?: unknown } | null)?.authenticators
  if (!Array.isArray(listed) || !listed.every(isListed)) throw new ResponseInvalidError('its passkeys')
  return listed
    .map(({ authenticatorId: id, authenticatorName: name, credentialId, createdAt }) => {
      return { id, name, credentialId, createdAtMs: toMs(createdAt), isCurrent: credentialId === own }
    })
    .sort((a, b) => a.createdAtMs - b.createdAtMs)
}

/**
 * Takes a passkey away from the user signed in. The service refuses to remove the last credential.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in is not recent
 * enough).
 */
export async function removeAuthenticator(
  { custodyApi }: SignerContext,
  { user, send }: ActiveSession,
  id: string,
  options?: WaitOptions | undefined,
): Promise<void> {
  const { orgId, userId } = user
  const call = activity('deleteAuthenticators', orgId, { userId, authenticatorIds: [id] })
  await send((stamp, signal) => custodyApi.submit(call, stamp, signal), 'person', options?.signal)
}

/** The documented wire has members in an order of its own here, and the stamp covers it. */
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

type Listed = { authenticatorId: string; authenticatorName: string; credentialId: string; createdAt: Timestamp }

function isListed(value: unknown): value is Listed {
  const { authenticatorId, credentialId } = (value ?? {}) as Partial<Listed>
  return typeof authenticatorId === 'string' && typeof credentialId === 'string'
}
