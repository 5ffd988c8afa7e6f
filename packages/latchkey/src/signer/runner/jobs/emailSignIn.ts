import {
  type EmailAuthRequest,
  type GivenMultiFactor,
  linkParameters,
  type OtpAuthParameters,
  type OtpAuthResult,
} from 'latchkey-protocol'
import { createChunk } from '../../../core/createChunk.ts'
import type { HttpError } from '../../../core/errors/HttpError.ts'
import type { CodeParameters, EmailParameters } from '../../AuthParameters.ts'
import { BundleInjectionError, EmailInitSessionMissingError } from '../../errors/authErrors.ts'
import { CustodyError, ResponseInvalidError } from '../../errors/custodyErrors.ts'
import { isText } from '../../guards.ts'
import type { Session, TemporarySession } from '../../session/Session.ts'
import { activity } from '../api/createCustodyApi.ts'
import type { SignerContext } from '../createContext.ts'
import type { BundleRequest } from '../machine/types.ts'
import { handOverChunk, openBundle } from './openBundle.ts'

/** Loaded on demand, because only pages with identity providers need it. */
export const providerChunk = /* @__PURE__ */ createChunk({
  name: 'providers',
  import: () => import('./providerSignIn.ts'),
})

/** Loaded on demand, because few users have a second factor. */
export const factorChunk = /* @__PURE__ */ createChunk({ name: 'factors', import: () => import('./factorStep.ts') })

export type SentMail = {
  temporary: TemporarySession
  /** Expiration time of the link, in milliseconds since 1970. */
  mailEndsMs: number
}

/**
 * Requests a sign-in e-mail and returns the data to store. Signs up unknown users; their link contains
 * `aa-is-signup=true`, even if the user requests the e-mail again before using it.
 */
export async function sendMail(
  context: SignerContext,
  request: EmailParameters,
  signal: AbortSignal,
): Promise<SentMail> {
  const { signerApi, authFrame, store, sessionMs, now } = context
  const { email, expirationSeconds = Math.ceil(sessionMs / 1000) } = request
  const [targetPublicKey, known] = await Promise.all([authFrame.publicKey(), signerApi.lookup(email, signal)])
  const last = store.readTemporary()
  const isNewUser = known === null || (last?.isNewUser === true && last.orgId === known)
  const redirectParams = toRedirectText(request.redirectParams, isNewUser)
  const body: EmailAuthRequest = {
    email,
    targetPublicKey,
    expirationSeconds,
    ...(redirectParams && { redirectParams }),
    ...(request.emailMode && { emailMode: request.emailMode }),
    ...(request.multiFactors && { multiFactors: request.multiFactors }),
  }
  const mailEndsMs = now() + expirationSeconds * 1000
  const send = known === null ? signerApi.signup : signerApi.auth
  const sent = await send(body, signal).catch(async (error: HttpError) => {
    if (error.serverCode !== 'MFA_REQUIRED') throw error
    const { toCodeRequest } = await factorChunk.load()
    return send(toCodeRequest(request, body, error), signal)
  })
  const isTabOnly = !(await authFrame.isKept())
  const older = last?.orgId === sent.orgId && last.otpId !== undefined && { olderOtpId: last.otpId }
  const flags = { ...(isNewUser && { isNewUser }), ...(isTabOnly && { isTabOnly }) }
  return { temporary: { ...sent, ...older, email, endsMs: mailEndsMs, ...flags }, mailEndsMs }
}

/**
 * Signs in with the bundle of an e-mail link. Uses the first available organization: `orgId`, that of this browser's
 * last requested e-mail, or that of the stored session with the same bundle. If only another tab's frame has the key,
 * sends the bundle to that tab. `isAdopted`: the other tab created the session.
 */
export async function completeEmail(
  context: SignerContext,
  request: BundleRequest,
  signal: AbortSignal,
): Promise<{ session: Session; isAdopted?: boolean }> {
  const { store, deviceKeys, authFrame } = context
  const { bundle } = request
  if (request.isOauth) {
    const { completeProvider } = await providerChunk.load()
    return { session: await completeProvider(context, bundle, signal) }
  }
  const stored = store.read()
  const same = stored?.type === 'email' && stored.bundle === bundle ? stored : undefined
  // The link was used before, and the device key has replaced the link's key.
  if (same?.deviceKey !== undefined && (await deviceKeys.has(same.deviceKey))) return { session: same }
  const orgId = request.orgId ?? store.readTemporary()?.orgId ?? same?.user.orgId
  if (!orgId) throw new EmailInitSessionMissingError()
  try {
    const session = await openBundle(context, { bundle, orgId }, signal)
    // Reopening the link does not extend the session, because the key's lifetime stays the same.
    return { session: same ? { ...session, expirationDateMs: same.expirationDateMs } : session }
  } catch (notOpened) {
    if (!(notOpened instanceof BundleInjectionError) || request.isHandedOver || (await authFrame.isKept()))
      throw notOpened
    const { offerBundle } = await handOverChunk.load()
    return { session: await offerBundle(context, { bundle, orgId, notOpened }, signal), isAdopted: true }
  }
}

export declare namespace completeCode {
  type Options = {
    signal: AbortSignal
    /** Settles when a pending e-mail request is finished. */
    newer?: Promise<unknown> | undefined
  }
}

/**
 * Exchanges the code of the last or previous e-mail for a bundle, and signs in with it. Waits for a pending e-mail,
 * whose code id is not known yet. The code is sent directly to the key-custody service and bound to this frame's key,
 * so that the signer service cannot use it. Each check uses up one attempt of the e-mail that it checks.
 *
 * @throws `EMAIL_INIT_SESSION_MISSING`, `OTP_EXPIRED`, `OTP_INVALID`.
 */
export async function completeCode(
  context: SignerContext,
  { code }: CodeParameters,
  { signal, newer }: completeCode.Options,
): Promise<Session> {
  const tried = new Set<string>()
  let refusal: unknown = new EmailInitSessionMissingError()
  for (const wait of [undefined, newer]) {
    await wait
    const { orgId = '', otpId, olderOtpId } = context.store.readTemporary() ?? {}
    const untried = [otpId, olderOtpId].filter(isText).filter((id) => !tried.has(id))
    for (const [index, id] of untried.entries()) {
      tried.add(id)
      try {
        const enter = async (multiFactors?: GivenMultiFactor[]) => {
          const bundle = await exchangeCode(context, { orgId, otpId: id, code, multiFactors }, signal)
          return openBundle(context, { bundle, orgId }, signal)
        }
        return await enter().catch(async (error: CustodyError) => {
          if (error.code !== 'MFA_REQUIRED') throw error
          const { askAfterCode } = await factorChunk.load()
          return askAfterCode(context, error, enter, signal)
        })
      } catch (error) {
        if (!isRefusedCode(error)) throw error
        // Reports the error for the newest e-mail, which is checked first.
        if (index === 0) refusal = error
      }
    }
  }
  throw refusal
}

async function exchangeCode(
  { custodyApi, authFrame }: SignerContext,
  {
    orgId,
    otpId,
    code,
    multiFactors,
  }: { orgId: string; otpId: string; code: string; multiFactors: GivenMultiFactor[] | undefined },
  signal: AbortSignal,
): Promise<string> {
  const targetPublicKey = await authFrame.publicKey()
  const parameters: OtpAuthParameters = { otpId, otpCode: code.replace(/\s/g, ''), targetPublicKey, multiFactors }
  const result = await custodyApi.submit(activity('otpAuth', orgId, parameters), null, signal)
  const bundle = (result as Partial<OtpAuthResult> | undefined)?.credentialBundle
  if (typeof bundle !== 'string') throw new ResponseInvalidError('a code')
  return bundle
}

function isRefusedCode(error: unknown): boolean {
  return error instanceof CustodyError && (error.code === 'OTP_INVALID' || error.code === 'OTP_EXPIRED')
}

function toRedirectText(given: URLSearchParams | undefined, isNewUser: boolean): string | undefined {
  if (!isNewUser) return given?.toString() || undefined
  const rest = [...(given ?? [])].filter(([name]) => name !== linkParameters.isSignup)
  return new URLSearchParams([[linkParameters.isSignup, 'true'], ...rest]).toString()
}
