import {
  factorPaths,
  type GivenMultiFactor,
  type MfaRequiredResponse,
  type MultiFactor,
  type ValidateMultiFactorsResponse,
} from 'latchkey-protocol'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { HttpError } from '../../../core/errors/HttpError.ts'
import type { EmailParameters } from '../../AuthParameters.ts'
import { type CustodyError, ResponseInvalidError } from '../../errors/custodyErrors.ts'
import { isTransient } from '../../errors/explain.ts'
import { MfaRequiredError } from '../../errors/MfaRequiredError.ts'
import { isText } from '../../guards.ts'
import type { Session } from '../../session/Session.ts'
import type { SignerContext } from '../createContext.ts'
import { openBundle } from './openBundle.ts'

export declare namespace askFactor {
  type Parameters = {
    multiFactors: readonly MultiFactor[]
    /** Signs in with the factor. */
    attempt: (multiFactors: GivenMultiFactor[]) => Promise<Session>
    signal: AbortSignal
  }
}

/**
 * Waits until the app passes a right code to `validateMultiFactors`. A wrong code or an unreachable service rejects only
 * that call; any other failure ends the sign-in.
 */
export function askFactor(
  { factor }: SignerContext,
  { multiFactors, attempt, signal }: askFactor.Parameters,
): Promise<Session> {
  const multiFactorId = multiFactors[0]?.multiFactorId
  if (!isText(multiFactorId)) throw new ResponseInvalidError('a second factor')
  return new Promise((resolve, reject) => {
    const enter = async (given: { multiFactorId?: string; multiFactorCode: string }) => {
      factor.onAsked(false)
      try {
        const session = await attempt([{ multiFactorId, ...given }])
        resolve(session)
        return session.user
      } catch (cause) {
        const error = toFactorError(cause)
        if (isTransient(cause) || (error instanceof BaseError && error.code === 'MFA_INVALID')) factor.onAsked(true)
        else reject(error)
        throw error
      }
    }
    const end = () => {
      if (factor.enter === enter) factor.enter = undefined
    }
    signal.addEventListener('abort', () => {
      end()
      reject(signal.reason)
    })
    factor.enter = enter
    factor.onAsked(true)
  })
}

/** Asks for the factor that custody requires after a code. Rethrows any other refusal. */
export function askAfterCode(
  context: SignerContext,
  error: CustodyError,
  attempt: askFactor.Parameters['attempt'],
  signal: AbortSignal,
): Promise<Session> {
  return askFactor(context, { multiFactors: readFactors((error.cause as HttpError).serverDetails), attempt, signal })
}

/** Asks for the factor after a sign-in at an identity provider. */
export function askAfterProvider(
  context: SignerContext,
  { encryptedPayload, multiFactors, orgId }: MfaRequiredResponse & { orgId: string },
  signal: AbortSignal,
): Promise<Session> {
  const attempt = async (given: GivenMultiFactor[]) => {
    const request = { encryptedPayload, multiFactors: given }
    const response = await context.signerApi.post(factorPaths.validate, request, signal)
    const bundle = (response as ValidateMultiFactorsResponse | undefined)?.payload?.credentialBundle
    if (!isText(bundle)) throw new ResponseInvalidError('a sign-in')
    return openBundle(context, { bundle, orgId }, signal)
  }
  return askFactor(context, { multiFactors, attempt, signal })
}

/**
 * Returns the request to send instead of one whose link needs the factor first: an e-mail with a code alone.
 *
 * @throws `MFA_REQUIRED` if the caller wants a link.
 */
export function toCodeRequest<request>(
  { emailMode }: EmailParameters,
  request: request,
  error: HttpError,
): request & { emailMode: 'otp' } {
  if (emailMode === 'magicLink') throw new MfaRequiredError(readFactors([parse(error.responseText)?.data]), error)
  return { ...request, emailMode: 'otp' }
}

function parse(text: string): { data?: unknown } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readFactors(details: unknown): readonly MultiFactor[] {
  const list: readonly unknown[] = Array.isArray(details) ? details : []
  const found = list.map((detail) => (detail as { multiFactors?: unknown } | null)?.multiFactors).find(Array.isArray)
  return (found ?? []) as readonly MultiFactor[]
}

/** Gives the signer service's refusals of a code the error code that custody's refusals have. */
function toFactorError(cause: unknown): unknown {
  if (!(cause instanceof HttpError) || cause.serverCode !== 'MFA_INVALID') return cause
  return new BaseError(cause.text, { code: 'MFA_INVALID', cause })
}
