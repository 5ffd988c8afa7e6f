import { factorActivityTypes, factorCustodyPaths, type MultiFactor, type NewMultiFactor } from 'latchkey-protocol'
import { BaseError } from '../../core/errors/BaseError.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import { isText } from '../guards.ts'
import type { ActivityCall } from '../runner/api/createCustodyApi.ts'
import type { SignerRunner } from '../runner/runMachine.ts'
import type { User } from '../types.ts'
import type { WaitOptions } from '../WaitOptions.ts'
import { type ActiveSession, getActiveSession } from './getActiveSession.ts'

type Factors = { multiFactors: MultiFactor[] }

/** Returns the signed-in user's second factors, at most one. */
export async function getMfaFactors(runner: SignerRunner): Promise<Factors> {
  const { user, send } = getActiveSession(runner)
  const body = { organizationId: user.orgId, userId: user.userId }
  const response = await send((stamp, signal) =>
    runner.context.custodyApi.query(factorCustodyPaths.list, body, stamp, signal),
  )
  return readFactors(response)
}

/**
 * Creates a second factor, inactive until `verifyMfa`. The URL contains its secret.
 *
 * @throws `HTTP_FAILED` (`turnkeyErrorCode` `CREDENTIAL_CONFLICT`: the user has one), `REQUEST_NOT_AUTHORIZED`.
 */
export async function addMfa(
  runner: SignerRunner,
  { multiFactorType }: { multiFactorType: 'totp' },
): Promise<NewMultiFactor> {
  const made = await change(runner, 'create', { multiFactorType })
  const { multiFactorId, multiFactorTotpUrl } = (made ?? {}) as Partial<NewMultiFactor>
  if (!isText(multiFactorId) || !isText(multiFactorTotpUrl)) throw new ResponseInvalidError('a second factor')
  return { multiFactorType, multiFactorId, multiFactorTotpUrl }
}

/**
 * Activates a second factor by its first code, once the user has confirmed by e-mail. Returns its recovery codes, which
 * cannot be read again.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `MFA_INVALID`, `REQUEST_NOT_AUTHORIZED`.
 */
export async function verifyMfa(
  runner: SignerRunner,
  { multiFactorId, multiFactorCode }: { multiFactorId: string; multiFactorCode: string },
  options: WaitOptions = {},
): Promise<Factors & { recoveryCodes: string[] }> {
  const done = await change(runner, 'activate', { multiFactorId, multiFactorCode }, options)
  const { recoveryCodes } = (done ?? {}) as { recoveryCodes?: unknown }
  if (!Array.isArray(recoveryCodes) || !recoveryCodes.every(isText)) throw new ResponseInvalidError('recovery codes')
  return { ...readFactors(done), recoveryCodes }
}

/**
 * Removes second factors once the user has confirmed by e-mail. Returns those that remain.
 *
 * @throws `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED`.
 */
export async function removeMfa(
  runner: SignerRunner,
  { multiFactorIds }: { multiFactorIds: readonly string[] },
  options: WaitOptions = {},
): Promise<Factors> {
  return readFactors(await change(runner, 'remove', { multiFactorIds }, options))
}

/**
 * Completes a sign-in that waits in `AWAITING_MFA_AUTH`, with a code of the authenticator app or a recovery code.
 *
 * @throws `MFA_INVALID`, `REQUEST_INVALID` if no sign-in waits; errors of the sign-in.
 */
export async function validateMultiFactors(
  { context, jobEnded }: SignerRunner,
  { multiFactorCode, multiFactorId }: { multiFactorCode: string; multiFactorId?: string | undefined },
): Promise<User> {
  const { enter } = context.factor
  if (!enter)
    throw new BaseError('No sign-in waits for a second factor.', {
      code: 'REQUEST_INVALID',
      metaMessages: ['Call it while the status is AWAITING_MFA_AUTH.'],
    })
  const ended = jobEnded()
  const user = await enter({ multiFactorCode, ...(multiFactorId !== undefined && { multiFactorId }) })
  await ended
  return user
}

const results = {
  create: 'createMultiFactorResult',
  activate: 'activateMultiFactorResult',
  remove: 'deleteMultiFactorsResult',
} as const

function change(
  runner: SignerRunner,
  kind: keyof typeof results,
  parameters: object,
  { signal: own }: WaitOptions = {},
): Promise<unknown> {
  const { user, send }: ActiveSession = getActiveSession(runner)
  const call: ActivityCall = {
    path: factorCustodyPaths[kind],
    resultKey: results[kind],
    body: (timestampMs) =>
      JSON.stringify({
        organizationId: user.orgId,
        type: factorActivityTypes[kind],
        timestampMs: String(timestampMs),
        parameters: { userId: user.userId, ...parameters },
      }),
  }
  return send((stamp, signal) => runner.context.custodyApi.submit(call, stamp, signal), 'person', own)
}

function readFactors(response: unknown): Factors {
  const { multiFactors } = (response ?? {}) as { multiFactors?: unknown }
  if (!Array.isArray(multiFactors) || !multiFactors.every(isFactor)) throw new ResponseInvalidError('second factors')
  return { multiFactors }
}

function isFactor(value: unknown): value is MultiFactor {
  const { multiFactorId, multiFactorType } = (value ?? {}) as Partial<MultiFactor>
  return isText(multiFactorId) && isText(multiFactorType)
}
