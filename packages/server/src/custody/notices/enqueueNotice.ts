import type { NoticeKind } from '../../keys/mailSeal.ts'
import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuineUser } from '../organizations/findUser.ts'
import { findSpeaker } from './findSpeaker.ts'
import { queueMail } from './queueMail.ts'

/** A notice that could not be sent for so long says nothing new. */
const lifeMs = 24 * 3_600_000
const nameless = 'Your wallet'

/**
 * Queues the mail that tells a user what was just done to their wallet, in the same transaction. Does nothing for a user
 * without an e-mail, or with one that they named and did not prove.
 */
export async function enqueueNotice(
  db: Db,
  context: Pick<CustodyContext, 'mailSealKey' | 'macKey' | 'logger' | 'projects' | 'rootOrganizationId' | 'now'>,
  notice: enqueueNotice.Parameters,
): Promise<void> {
  const { kind, organizationId, userId, activityId } = notice
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .where('org_id', '=', organizationId)
    .executeTakeFirst()
  // An address that is only claimed may be a stranger's, who must not get our mails.
  if (!user?.email || user.email_claimed || !user.parent_org_id || !isGenuineUser(context, user)) return
  const project = findSpeaker(context, user.parent_org_id)
  const happenedAtMs = context.now()
  await queueMail(db, context, {
    activityId,
    orgId: organizationId,
    userId,
    payload: {
      to: user.email,
      appName: project?.name ?? nameless,
      ...(project?.logoUrl && { logoUrl: project.logoUrl }),
      content: { kind, happenedAtMs },
    },
    expiresAt: new Date(happenedAtMs + lifeMs),
  })
}

export declare namespace enqueueNotice {
  type Parameters = { kind: NoticeKind; organizationId: string; userId: string; activityId: string }
}
