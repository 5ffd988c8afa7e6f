import type { Caller } from './credentials/findCaller.ts'
import { custodyError } from './custodyError.ts'
import { stepUpMs } from './custodyLimits.ts'
import type { CustodyContext, CustodyDeps } from './deps.ts'

/**
 * Refuses callers without a recent proof of presence: a passkey that verified its user (flag UV, WebAuthn L3 § 6.1), or
 * a session younger than five minutes. A root organization with older clients can disable this. Throws instead of
 * returning the status `ACTIVITY_STATUS_AUTHENTICATORS_NEEDED`, which published clients poll forever (custody protocol
 * § 2.3).
 *
 * @throws `REQUEST_NOT_AUTHORIZED`.
 */
export function assertStepUp(context: Pick<CustodyContext, 'isStepUpOff'>, caller: Caller): void {
  if (context.isStepUpOff(caller.rootOrgId)) return
  if (caller.authenticatedAt && caller.at.getTime() - caller.authenticatedAt.getTime() < stepUpMs) return
  throw custodyError('REQUEST_NOT_AUTHORIZED', `For your safety, sign in again first. ${needed[caller.kind]}`)
}

const needed: Record<Caller['kind'], string> = {
  passkey: 'Your passkey must ask for your fingerprint, face or PIN (user verification).',
  api_key: 'This works within 5 minutes of signing in.',
}

export function isStepUpOff({ stepUp = 'required' }: Pick<CustodyDeps, 'stepUp'>, rootOrgId: string): boolean {
  return (typeof stepUp === 'string' ? stepUp : stepUp[rootOrgId]) === 'off'
}

export function warnStepUp({ stepUp = 'required', logger }: Pick<CustodyDeps, 'stepUp' | 'logger'>): void {
  const off =
    typeof stepUp === 'string'
      ? stepUp === 'off'
        ? ['all']
        : []
      : Object.keys(stepUp).filter((rootOrgId) => stepUp[rootOrgId] === 'off')
  if (off.length === 0) return
  logger.warn(
    { organizations: off },
    'STEP-UP IS OFF (custody.stepUp): whoever holds a session of any age can export keys, change credentials and delete. Switch it on as soon as your clients can ask users to sign in again.',
  )
}
