import { randomUUID } from 'node:crypto'
import { type MailPayload, sealMail } from '../../keys/mailSeal.ts'
import { addJob } from '../../store/jobs/addJob.ts'
import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'

/** Queues a mail in the transaction that it tells of: sealed for the mail role, sent once that commits. */
export async function queueMail(
  db: Db,
  context: Pick<CustodyContext, 'mailSealKey'>,
  mail: queueMail.Parameters,
): Promise<void> {
  const identity = { id: randomUUID(), recipient: mail.payload.to }
  await db
    .insertInto('mail_outbox')
    .values({
      ...identity,
      activity_id: mail.activityId,
      org_id: mail.orgId,
      user_id: mail.userId,
      credential_id: mail.credentialId ?? null,
      template: mail.payload.content.kind,
      payload_sealed: sealMail(context.mailSealKey, identity, mail.payload),
      state: 'queued',
      expires_at: mail.expiresAt,
    })
    .execute()
  await addJob(db, { name: 'mail', payload: { id: identity.id } })
}

export declare namespace queueMail {
  type Parameters = {
    activityId: string
    orgId: string
    userId: string
    /** The session key the mail carries; revoked when the mail cannot be sent. */
    credentialId?: string | undefined
    payload: MailPayload
    /** After this it is not sent any more. */
    expiresAt: Date
  }
}
