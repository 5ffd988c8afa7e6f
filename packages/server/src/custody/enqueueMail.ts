import { randomUUID } from 'node:crypto'
import { type MailPayload, type NoticeKind, sealMail } from '../keys/mailSeal.ts'
import { addJob } from '../platform/database/jobs.ts'
import type { Db } from '../platform/database/openStore.ts'
import { addLink } from './confirmations/links.ts'
import { noticeMs, undoMs } from './custodyLimits.ts'
import type { CustodyContext } from './deps.ts'
import { isTrusted } from './macs.ts'
import { findOnlyProject } from './organizations/trustedProjects.ts'

export declare namespace enqueueMail {
  type Parameters = {
    activityId: string
    orgId: string
    userId: string
    /** Session key in the mail; it is revoked if the mail cannot be sent. */
    credentialId?: string | undefined
    payload: MailPayload
    /** The mail is not sent after this time. */
    expiresAt: Date
  }
}

/**
 * Queues a mail in the transaction of `db`. The mail is sealed for the mail role and sent after the transaction
 * commits.
 */
export async function enqueueMail(
  context: Pick<CustodyContext, 'mailSealKey'>,
  db: Db,
  { activityId, orgId, userId, credentialId, payload, expiresAt }: enqueueMail.Parameters,
): Promise<void> {
  const identity = { id: randomUUID(), recipient: payload.to }
  await db
    .insertInto('mail_outbox')
    .values({
      ...identity,
      activity_id: activityId,
      org_id: orgId,
      user_id: userId,
      credential_id: credentialId ?? null,
      template: payload.content.kind,
      payload_sealed: sealMail(context.mailSealKey, identity, payload),
      state: 'queued',
      expires_at: expiresAt,
    })
    .execute()
  await addJob(db, { name: 'mail', payload: { id: identity.id } })
}

export declare namespace enqueueNotice {
  type Parameters = {
    kind: NoticeKind
    organizationId: string
    userId: string
    activityId: string
    /**
     * Whether the mail has a link that undoes the action.
     * @default false
     */
    isUndoable?: boolean
    /** Time when the announced action takes effect. */
    dueAt?: Date | undefined
    /** @default now */
    happenedAt?: Date | undefined
  }
}

/**
 * Queues the e-mail that reports an action to a wallet's user, in the transaction of `db`. Skips users without an
 * e-mail address, or with an unproven one.
 */
export async function enqueueNotice(
  context: Pick<
    CustodyContext,
    'mailSealKey' | 'macKey' | 'logger' | 'projects' | 'rootOrganizationId' | 'confirmationUrl' | 'now'
  >,
  db: Db,
  { kind, organizationId, userId, activityId, isUndoable = false, dueAt, happenedAt }: enqueueNotice.Parameters,
): Promise<void> {
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .where('org_id', '=', organizationId)
    .executeTakeFirst()
  // An address that is only claimed may belong to a stranger, who must not get our e-mails.
  if (!user?.email || user.email_claimed || !user.parent_org_id || !isTrusted(context, 'users', user)) return
  const brand = readBrand(context, user.parent_org_id)
  const now = context.now()
  const happenedAtMs = happenedAt?.getTime() ?? now
  const identity = { activityId, orgId: organizationId, userId }
  const facts = { app: brand.appName, email: user.email, requestedAtMs: now }
  const hasLink = context.confirmationUrl !== undefined && (isUndoable || dueAt !== undefined)
  const link = hasLink
    ? await addLink(context, db, {
        ...identity,
        kind: dueAt ? 'keep' : 'undo',
        details: { ...facts, action: dueAt ? 'delete-account' : 'add-passkey' },
        expiresAt: dueAt ?? new Date(now + undoMs),
      })
    : undefined
  await enqueueMail(context, db, {
    ...identity,
    payload: { to: user.email, ...brand, content: { kind, happenedAtMs, link, dueAtMs: dueAt?.getTime() } },
    expiresAt: new Date(now + noticeMs),
  })
}

/** Returns the name and logo of the app whose users belong to a parent organization. */
export function readBrand(
  context: Pick<CustodyContext, 'projects' | 'rootOrganizationId'>,
  rootOrgId: string,
): Pick<MailPayload, 'appName' | 'logoUrl'> {
  const project = findOnlyProject(context, rootOrgId)
  return { appName: project?.name ?? 'Your wallet', ...(project?.logoUrl && { logoUrl: project.logoUrl }) }
}
