import type { Caller } from '../credentials/findCaller.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'

/** How long a session counts as one whose user is there. */
const stepUpWindowMs = 300_000

/**
 * Lets in only who has just proven to be there: by a passkey that verified its user (flag UV, WebAuthn L3 § 6.1), or by
 * a session that is younger than five minutes. A root organization that serves older clients can switch this off.
 *
 * It is a refusal, never the status `ACTIVITY_STATUS_AUTHENTICATORS_NEEDED`: published clients ask for such an activity for
 * ever (custody protocol § 2.3).
 *
 * @throws ServerError `REQUEST_NOT_AUTHORIZED` (403)
 */
export function assertStepUp(context: Pick<CustodyContext, 'isStepUpOff'>, caller: Caller): void {
  if (context.isStepUpOff(caller.rootOrgId)) return
  if (caller.authenticatedAt && caller.at.getTime() - caller.authenticatedAt.getTime() < stepUpWindowMs) return
  throw custodyError('REQUEST_NOT_AUTHORIZED', `Sign in again to do this: ${needed[caller.kind]}`)
}

const needed: Record<Caller['kind'], string> = {
  passkey: 'your passkey must ask for your fingerprint, face or PIN (user verification).',
  api_key: 'use a passkey that verifies you, or a session that is younger than 5 minutes.',
}
