import type { ActivityResponse } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import { parseJson } from '../../platform/http/requestBody.ts'
import { tooManyRequests } from '../../platform/limits/rateLimit.ts'
import { fingerprint, parseEnvelope } from '../activities/envelope.ts'
import { presentActivity } from '../activities/presentActivity.ts'
import { confirmableUntil, findStored } from '../activities/storedActivity.ts'
import type { submitActivity } from '../activities/submitActivity.ts'
import type { Caller } from '../credentials/findCaller.ts'
import { admit } from '../credentials/findCaller.ts'
import { custodyError } from '../custodyError.ts'
import { mailsPerConfirmation } from '../custodyLimits.ts'
import type { StampedRequest } from '../definitions.ts'
import { inNotedTransaction } from '../inNotedTransaction.ts'
import { verifyStamp } from '../stamps/verifyStamp.ts'
import { listAskingLinks } from './links.ts'
import { mailLink } from './mailLink.ts'

/**
 * Resends the email that an activity waits for. Requires the original request with its stamp, which needs no new
 * passkey prompt and cannot execute the activity again. Earlier emails stay valid, since they may only be late. A
 * decision made by one link appears on the pages of all links. The time to confirm is not extended.
 *
 * @throws `NOT_FOUND`, `REQUEST_INVALID`, `RATE_LIMIT_EXCEEDED`, and the errors of `admit`.
 */
export async function resendConfirmation(
  context: submitActivity.Context,
  { headers, body, requestId }: StampedRequest,
): Promise<ActivityResponse> {
  const stamp = verifyStamp(headers, body)
  const { organizationId } = parseEnvelope(parseJson(body))
  const { organization, caller } = await admit(context, { stamp, organizationId })
  await context.limits.takeActivity(organization, { isStamped: true })
  return context.limits.runWork(organization, () =>
    inNotedTransaction(context, requestId, (db, noting) =>
      resend(noting, db, { caller, identity: { org_id: organization.id, fingerprint: fingerprint(body) } }),
    ),
  )
}

async function resend(
  context: submitActivity.Context,
  db: Db,
  { caller, identity }: { caller: Caller; identity: findStored.Identity },
): Promise<ActivityResponse> {
  const row = await findStored(context, db, identity, { lock: true })
  if (!row || row.user_id !== caller.userId)
    throw custodyError('NOT_FOUND', 'There is no activity of this request. Send the request itself first.')
  const [newest, ...earlier] = await listAskingLinks(context, db, [row.id])
  const until = confirmableUntil(row)
  if (!newest || newest.decided_at !== null || until === null || context.now() > until.getTime())
    throw custodyError('REQUEST_INVALID', 'It no longer waits for an email. Ask for its status.')
  const { kind, details } = newest
  if (kind !== 'confirm' && kind !== 'prove') throw new TypeError('a link that asks nothing')
  if (earlier.filter((link) => link.kind === kind).length + 1 >= mailsPerConfirmation)
    throw tooManyRequests(
      'custody.mailsPerConfirmation',
      until.getTime() - context.now(),
      'Too many emails to confirm this were sent; use one of them',
    )
  await mailLink(context, db, {
    kind,
    details,
    activityId: row.id,
    orgId: row.org_id,
    userId: row.user_id,
    rootOrgId: caller.rootOrgId,
    expiresAt: until,
  })
  return { activity: await presentActivity(context, db, row, caller.userId) }
}
