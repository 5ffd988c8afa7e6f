import type { Db } from '../../platform/database/openStore.ts'
import { toMailbox } from '../../platform/http/emails.ts'
import { tooManyRequests } from '../../platform/limits/rateLimit.ts'
import { takeToken } from '../../platform/limits/takeToken.ts'
import { confirmationsPerUser, proofsPerAddress } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { enqueueMail, readBrand } from '../enqueueMail.ts'
import { addLink, askingKinds } from './links.ts'

export declare namespace mailLink {
  type Parameters = Omit<addLink.Parameters, 'kind'> & {
    kind: 'confirm' | 'prove'
    /** Parent organization, whose app the e-mail shows. */
    rootOrgId: string
  }
}

/**
 * Creates a link that confirms an activity, and queues its e-mail to the address in its details.
 *
 * @throws `RATE_LIMIT_EXCEEDED`, `CONFIG_INVALID`.
 */
export async function mailLink(
  context: CustodyContext,
  db: Db,
  { rootOrgId, ...parameters }: mailLink.Parameters,
): Promise<void> {
  const { kind, activityId, orgId, userId, details, expiresAt } = parameters
  await limitMails(context, db, parameters)
  const link = await addLink(context, db, parameters)
  await enqueueMail(context, db, {
    activityId,
    orgId,
    userId,
    expiresAt,
    payload: {
      to: details.email,
      ...readBrand(context, rootOrgId),
      content: { kind, link, ...details, expiresAtMs: expiresAt.getTime() },
    },
  })
}

/** Takes the tokens inside the transaction, since taking them through the pool would need a second connection. */
async function limitMails(
  { now }: CustodyContext,
  db: Db,
  { kind, userId, details: { email } }: Pick<mailLink.Parameters, 'kind' | 'userId' | 'details'>,
): Promise<void> {
  const { limit, windowMs } = confirmationsPerUser
  const sent = await db
    .selectFrom('confirmations')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('kind', 'in', askingKinds)
    .where('created_at', '>', new Date(now() - windowMs))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  const first = sent.at(-1)
  const what = 'Too many emails to confirm something were sent'
  if (first && sent.length >= limit)
    throw tooManyRequests('custody.confirmationsPerUser', first.created_at.getTime() + windowMs - now(), what)
  if (kind === 'confirm') return
  // Anyone can enter any e-mail address, so each one receives few e-mails across all accounts. A rollback undoes both
  // e-mail and token.
  const key = `proof ${toMailbox(email)}`
  const taken = await takeToken(db, { ...proofsPerAddress, key, table: 'custody_limits' })
  if (!taken.ok)
    throw tooManyRequests('custody.proofsPerAddress', taken.retryAfterMs, 'Too many emails were sent to this address')
}
