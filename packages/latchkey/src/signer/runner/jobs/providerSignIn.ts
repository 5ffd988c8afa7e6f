import {
  type FetchIdTokenRequest,
  type LinkNeededResponse,
  type OauthAnswer,
  type OauthFactorResponse,
  type OauthSessionResponse,
  oauthMessage,
  oauthPaths,
  type PrepareOauthRequest,
  type PrepareOauthResponse,
  type RedeemOauthRequest,
} from 'latchkey-protocol'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { ProviderPort, ProviderWindow } from '../../../web/platform.ts'
import type { OauthParameters } from '../../AuthParameters.ts'
import { ResponseInvalidError } from '../../errors/custodyErrors.ts'
import { EmailNeededError } from '../../errors/EmailNeededError.ts'
import { isText } from '../../guards.ts'
import type { Session } from '../../session/Session.ts'
import type { SignerContext } from '../createContext.ts'
import { askAfterProvider } from './factorStep.ts'
import { openBundle } from './openBundle.ts'

/** Authorization request to a provider. The provider's response must contain the same `state`. */
export type AskedRequest = Pick<FetchIdTokenRequest, 'requestKey' | 'providerId'> & { state: string }
/** Pending sign-in, stored in the tab while it shows the provider's website. */
type Pending = AskedRequest & Pick<RedeemOauthRequest, 'targetPublicKey' | 'expirationSeconds'>

/**
 * Signs in with an identity provider, in a window or by leaving the page. The token is bound to the frame's key. A
 * response is accepted only with the `state` of this sign-in.
 *
 * @throws `EMAIL_NEEDED`, `OIDC_TOKEN_INVALID`, `PROVIDER_WINDOW_BLOCKED`, `PROVIDER_WINDOW_CLOSED`, `REQUEST_INVALID`,
 * `TIMEOUT`.
 */
export async function signInWithProvider(
  context: SignerContext,
  { request, opened }: { request: OauthParameters; opened: ProviderWindow | null },
  signal: AbortSignal,
): Promise<Session> {
  if (!opened && request.mode !== 'redirect' && request.ifBlocked === 'fail') throw windowBlocked()
  try {
    const targetPublicKey = await context.authFrame.publicKey()
    const { provider: providerId, expirationSeconds = Math.ceil(context.sessionMs / 1000) } = request
    const mode = opened ? 'popup' : 'page'
    const { url, origin, ...asked } = await prepareRequest(
      context,
      { providerId, publicKey: targetPublicKey, mode },
      signal,
    )
    const pending: Pending = { ...asked, targetPublicKey, expirationSeconds }
    if (opened) {
      const answer = await askWindow(opened, { url, origin }, signal)
      return await redeem(context, pending, answer, signal)
    }
    context.away.write(JSON.stringify(pending))
    requireProviders(context).leave(url)
    // The browser is leaving the page, so this promise only rejects, when the sign-in is aborted.
    return await new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  } finally {
    opened?.close()
  }
}

/** Timeout of the signer service for a provider sign-in, in milliseconds. */
const requestMs = 600_000
const lookMs = 1_000

/** Waits for the window's response until the request expires or the user closes the window. */
export async function askWindow(
  opened: ProviderWindow,
  to: { url: string; origin: string },
  signal: AbortSignal,
): Promise<unknown> {
  const end = new AbortController()
  const endsAt = performance.now() + requestMs
  let wasClosed = false
  const look = setInterval(() => {
    if (performance.now() > endsAt) return end.abort(late())
    // The message of a window that has just closed may not have arrived yet.
    if (wasClosed) return end.abort(closed())
    wasClosed = opened.isClosed()
  }, lookMs)
  try {
    return await opened.ask({ ...to, signal: AbortSignal.any([signal, end.signal]) })
  } finally {
    clearInterval(look)
  }
}

/** Completes a sign-in that left the page. `text` is the provider's response in the page's URL. */
export async function completeProvider(context: SignerContext, text: string, signal: AbortSignal): Promise<Session> {
  const pending = readPending(context.away.take())
  if (!pending) throw foreign()
  return redeem(context, pending, { type: oauthMessage, ...Object.fromEntries(new URLSearchParams(text)) }, signal)
}

/** Requests an authorization URL from the signer service. The provider's token will be bound to `publicKey`. */
export async function prepareRequest(
  context: SignerContext,
  { providerId, publicKey, mode }: { providerId: string; publicKey: string; mode: 'popup' | 'page' },
  signal: AbortSignal,
): Promise<AskedRequest & { url: string; origin: string }> {
  const address = requireProviders(context).address()
  const nonce = await digest(publicKey)
  const prepared = await context.signerApi.post(oauthPaths.prepare, { nonce } satisfies PrepareOauthRequest, signal)
  const { requestKey, codeChallenge, callbackUrl, authProviders } = (prepared ?? {}) as Partial<PrepareOauthResponse>
  if (!isText(requestKey) || !isText(codeChallenge) || !isText(callbackUrl) || !Array.isArray(authProviders))
    throw new ResponseInvalidError('an identity provider')
  const provider = authProviders.find(({ id }) => id === providerId)
  if (!provider)
    throw new BaseError(`This app has no identity provider "${providerId}".`, {
      code: 'REQUEST_INVALID',
      metaMessages: [`It has: ${authProviders.map(({ id }) => id).join(', ')}.`],
    })
  const state = [mode, toHex(crypto.getRandomValues(new Uint8Array(32))), toBase64url(address)].join('.')
  const url = new URL(provider.authEndpoint)
  const parameters = {
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: callbackUrl,
    scope: provider.scope,
    state,
    nonce,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    prompt: 'select_account',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, origin: new URL(callbackUrl).origin, state, requestKey, providerId }
}

/**
 * Returns the provider's authorization code.
 *
 * @throws `OIDC_TOKEN_INVALID` if the provider declined, or the response belongs to another request.
 */
export function readCode(message: unknown, state: string): Pick<FetchIdTokenRequest, 'code' | 'iss'> {
  const { type, ...answer } = (message ?? {}) as Partial<OauthAnswer> & { type?: unknown }
  if (type !== oauthMessage || answer.state !== state) throw foreign()
  const { code, iss, error } = answer
  if (!isText(code)) throw declined(isText(error) ? error : 'no code')
  return { code, ...(isText(iss) && { iss }) }
}

async function redeem(
  context: SignerContext,
  { state, ...request }: Pending,
  message: unknown,
  signal: AbortSignal,
): Promise<Session> {
  const body: RedeemOauthRequest = { ...request, ...readCode(message, state), asksToLink: true }
  const given = await context.signerApi.post(oauthPaths.redeem, body, signal)
  const answer = (given ?? {}) as Partial<OauthSessionResponse & OauthFactorResponse & LinkNeededResponse>
  const { credentialBundle: bundle, orgId, linkEmail } = answer
  if (typeof linkEmail === 'string') throw new EmailNeededError(linkEmail || undefined)
  if (answer.status === 'MFA_REQUIRED' && isText(orgId))
    return askAfterProvider(context, answer as OauthFactorResponse, signal)
  if (!isText(bundle) || !isText(orgId)) throw new ResponseInvalidError('a sign-in')
  return openBundle(context, { bundle, orgId }, signal)
}

function readPending(text: string | null): Pending | null {
  try {
    return text === null ? null : (JSON.parse(text) as Pending)
  } catch {
    return null
  }
}

async function digest(text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

const toHex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Encodes text as base64url. `btoa` suffices, because a page's URL is ASCII. */
const toBase64url = (text: string) => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

function foreign(): BaseError {
  return new BaseError('This sign-in was not started in this tab.', {
    code: 'OIDC_TOKEN_INVALID',
    metaMessages: ['Start it again here.'],
  })
}

function declined(error: string): BaseError {
  return new BaseError('The identity provider did not sign you in.', {
    code: 'OIDC_TOKEN_INVALID',
    metaMessages: [`It answered: ${error.slice(0, 100)}.`],
  })
}

/** @throws `REQUEST_INVALID` on a platform without identity providers. */
export function requireProviders({ providers }: SignerContext): ProviderPort {
  if (providers) return providers
  throw new BaseError('This platform cannot open identity providers.', {
    code: 'REQUEST_INVALID',
    metaMessages: ['Pass a `platform` with `providers`, as `webPlatform()` has.'],
  })
}

export function windowBlocked(): BaseError {
  return new BaseError('The browser blocked the window of the identity provider.', {
    code: 'PROVIDER_WINDOW_BLOCKED',
    metaMessages: ['Call it from a click, or pass `mode: "redirect"` to leave the page instead.'],
  })
}

function closed(): BaseError {
  return new BaseError('The window was closed before the sign-in was complete.', {
    code: 'PROVIDER_WINDOW_CLOSED',
    metaMessages: ['Start it again. If it keeps failing, pass `mode: "redirect"` to leave the page instead.'],
  })
}

function late(): BaseError {
  return new BaseError('The sign-in at the identity provider took too long.', {
    code: 'TIMEOUT',
    metaMessages: ['Start it again.'],
  })
}
