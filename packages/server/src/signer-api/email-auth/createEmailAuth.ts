import { activityTypes, custodyPaths } from 'latchkey/wire'
import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import { settleMail } from '../../store/outbox/settleMail.ts'
import type { Project } from '../../store/projects/project.ts'
import type { CustodyClient } from '../custody-client/createCustodyClient.ts'
import { buildLinkTemplate } from '../link/buildLinkTemplate.ts'
import { chooseRedirectUrl } from '../link/chooseRedirectUrl.ts'
import { createMailSlots } from './createMailSlots.ts'
import type { EmailAuthBody } from './schema.ts'

const defaultMailLimit = { count: 6, windowMs: 15 * 60_000 }

export declare namespace createEmailAuth {
  type Parameters = {
    db: Db
    custody: CustodyClient
    mailLimit?: { count: number; windowMs: number } | undefined
    /** How long somebody waits for their mail to be handed over. @default 10000 */
    mailTimeoutMs?: number | undefined
  }
  type Request = {
    user: { userId: string; orgId: string; email: string }
    project: Project
    /** Origin of the page that asks. */
    origin: string | undefined
    body: EmailAuthBody
  }
  type ReturnType = (request: Request) => Promise<void>
}

/**
 * Has custody make a session key for a user and mail the link; resolves when the mail server took the mail.
 * Otherwise the link is made useless before the error is told.
 *
 * Throws `RATE_LIMIT_EXCEEDED`, `REDIRECT_NOT_ALLOWED`, `MAIL_UNAVAILABLE`.
 */
export function createEmailAuth(parameters: createEmailAuth.Parameters): createEmailAuth.ReturnType {
  const { db, custody, mailLimit = defaultMailLimit, mailTimeoutMs = 10_000 } = parameters
  const withMailSlot = createMailSlots({ db, limit: mailLimit })

  return async ({ user, project, origin, body }) => {
    const magicLinkTemplate = buildLinkTemplate({
      redirectUrl: chooseRedirectUrl(project, origin),
      redirectParams: body.redirectParams,
      orgId: user.orgId,
    })
    const activity = await withMailSlot(user.userId, () =>
      custody.submit(custodyPaths.emailAuth, activityTypes.emailAuth, user.orgId, {
        email: user.email,
        targetPublicKey: body.targetPublicKey.toLowerCase(),
        ...(body.expirationSeconds && { expirationSeconds: String(Math.ceil(body.expirationSeconds)) }),
        emailCustomization: { appName: project.name.slice(0, 64), magicLinkTemplate },
      }),
    )
    const state = await settleMail(db, { activityId: activity.id, timeoutMs: mailTimeoutMs })
    if (state !== 'sent')
      throw new ServerError('The mail could not be sent. Try again in a moment.', {
        code: 'MAIL_UNAVAILABLE',
        status: 503,
      })
  }
}
