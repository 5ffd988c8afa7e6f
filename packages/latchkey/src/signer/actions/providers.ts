import {
  custodyPaths,
  type FetchIdTokenResponse,
  oauthActivityTypes,
  oauthCustodyPaths,
  oauthPaths,
  type Stamp,
  type Timestamp,
} from 'latchkey-protocol'
import type { ConnectedProvider } from '../Credentials.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import { isText } from '../guards.ts'
import type { ActivityCall } from '../runner/api/createCustodyApi.ts'
import { readCredential, toMs } from '../runner/api/sessionKeys.ts'
import { askWindow, prepareRequest, readCode, requireProviders, windowBlocked } from '../runner/jobs/providerSignIn.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { User } from '../types.ts'
import type { WaitOptions } from '../WaitOptions.ts'
import { type ActiveSession, getActiveSession } from './getActiveSession.ts'

/** Lists the signed-in user's accounts at identity providers, oldest first. */
export async function listProviders(runner: SignerRunner): Promise<ConnectedProvider[]> {
  const { user, send } = getActiveSession(runner)
  const body = { organizationId: user.orgId, userId: user.userId }
  const response = await send((stamp, signal) =>
    runner.context.custodyApi.query(oauthCustodyPaths.list, body, stamp, signal),
  )
  const listed = (response as { oauthProviders?: unknown } | null)?.oauthProviders
  if (!Array.isArray(listed) || !listed.every(isListed)) throw new ResponseInvalidError('its identity providers')
  return listed
    .map(({ providerId: id, providerName: provider, issuer, subject, createdAt }) => {
      return { id, provider, issuer, subject, createdAtMs: toMs(createdAt) }
    })
    .sort((a, b) => a.createdAtMs - b.createdAtMs)
}

/**
 * Adds an account at an identity provider to the signed-in user, who signs in to the provider in a window. The token is
 * bound to the key that stamps for the user, so it cannot be added to another account. Returns the ids of the new
 * accounts.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `HTTP_FAILED` (`turnkeyErrorCode`
 * `CREDENTIAL_CONFLICT`: another user has added it), `OIDC_TOKEN_INVALID`, `PROVIDER_WINDOW_BLOCKED`,
 * `PROVIDER_WINDOW_CLOSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in is not recent enough), `TIMEOUT`.
 */
export async function addProvider(
  runner: SignerRunner,
  provider: string,
  options: WaitOptions = {},
): Promise<string[]> {
  const { context } = runner
  const active = getActiveSession(runner)
  // Opens the window before any request: browsers allow it only right after a click.
  const opened = requireProviders(context).open()
  if (!opened) throw windowBlocked()
  const signal = options.signal ? AbortSignal.any([active.signal, options.signal]) : active.signal
  try {
    const publicKey = await readStampKey(runner, active, signal)
    const parameters = { providerId: provider, publicKey, mode: 'popup' } as const
    const { url, origin, state, ...request } = await prepareRequest(context, parameters, signal)
    const code = readCode(await askWindow(opened, { url, origin }, signal), state)
    opened.close()
    const given = await context.signerApi.post(oauthPaths.token, { ...request, ...code }, signal)
    const { idToken } = (given ?? {}) as Partial<FetchIdTokenResponse>
    if (!isText(idToken)) throw new ResponseInvalidError('an identity')
    const oauthProviders = [{ providerName: provider, oidcToken: idToken }]
    const result = await change(runner, active, 'add', { oauthProviders }, options)
    const ids = (result as { providerIds?: unknown } | undefined)?.providerIds
    if (!Array.isArray(ids) || !ids.every(isText)) throw new ResponseInvalidError('a new identity')
    return ids
  } finally {
    opened.close()
  }
}

/**
 * Removes an account at an identity provider. The service refuses to remove the last sign-in method, and ends other
 * sessions that were started with an identity provider.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` (the sign-in is not
 * recent enough).
 */
export async function removeProvider(runner: SignerRunner, id: string, options: WaitOptions = {}): Promise<void> {
  await change(runner, getActiveSession(runner), 'remove', { providerIds: [id] }, options)
}

const results = { add: 'createOauthProvidersResult', remove: 'deleteOauthProvidersResult' } as const

function change(
  { context: { custodyApi } }: SignerRunner,
  { user, send }: ActiveSession,
  kind: 'add' | 'remove',
  parameters: object,
  { signal: own }: WaitOptions,
): Promise<unknown> {
  const call = toCall(user, kind, parameters)
  return send((stamp, signal) => custodyApi.submit(call, stamp, signal), 'person', own)
}

function toCall({ orgId, userId }: User, kind: 'add' | 'remove', parameters: object): ActivityCall {
  return {
    path: oauthCustodyPaths[kind],
    resultKey: results[kind],
    body: (timestampMs) =>
      JSON.stringify({
        organizationId: orgId,
        type: oauthActivityTypes[kind],
        timestampMs: String(timestampMs),
        parameters: { userId, ...parameters },
      }),
  }
}

/** Returns the public key that stamps the user's changes: the session's key or the passkey's. */
async function readStampKey(
  { context: { custodyApi } }: SignerRunner,
  { user, send }: ActiveSession,
  own: AbortSignal,
): Promise<string> {
  let credential = ''
  const body = { organizationId: user.orgId, userId: user.userId }
  const ask: Parameters<typeof send>[0] = (stamp, signal) => {
    const noted = async (text: string): Promise<Stamp> => {
      const made = await stamp(text)
      credential = readCredential(made)
      return made
    }
    return custodyApi.query(custodyPaths.getAuthenticators, body, noted, signal)
  }
  const response = await send(ask, 'person', own)
  const { authenticators } = (response ?? {}) as { authenticators?: readonly Passkey[] }
  if (!Array.isArray(authenticators)) throw new ResponseInvalidError('its passkeys')
  return authenticators.find((passkey) => passkey.credentialId === credential)?.credential.publicKey ?? credential
}

type Passkey = { credentialId: string; credential: { publicKey: string } }

type Listed = { providerId: string; providerName: string; issuer: string; subject: string; createdAt: Timestamp }

function isListed(value: unknown): value is Listed {
  const { providerId, providerName, issuer, subject } = (value ?? {}) as Partial<Listed>
  return [providerId, providerName, issuer, subject].every(isText)
}
