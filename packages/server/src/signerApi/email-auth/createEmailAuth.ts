import { activityTypes, custodyPaths } from 'latchkey/wire'
import { z } from 'zod'
import { type Limit, tooManyRequests } from '../../http/rateLimit.ts'
import { ServerError } from '../../http/ServerError.ts'
import { cancelMail, settleMail } from '../../store/mailOutbox.ts'
import type { Db } from '../../store/openStore.ts'
import { returnToken, takeToken } from '../../store/takeToken.ts'
import type { CallerProject } from '../access/requireProject.ts'
import { type CompletedActivity, type CustodyClient, readAnswer } from '../custody-client/createCustodyClient.ts'
import type { SignerApiLimits } from '../limits/limits.ts'
import { buildLinkTemplate } from '../link/buildLinkTemplate.ts'
import { chooseRedirectUrl } from '../link/chooseRedirectUrl.ts'
import { describeBrowser } from './describeBrowser.ts'
import type { EmailAuthBody } from './schema.ts'

export declare namespace createEmailAuth {
  type Parameters = {
    db: Db
    custody: CustodyClient
    limits: Pick<SignerApiLimits, 'mailsPerAddress' | 'mailsPerAddressDaily' | 'mailsPerIp' | 'mailsPerProject'>
    /** How long somebody waits for their mail to be handed over. @default 10000 */
    mailTimeoutMs?: number | undefined
  }
  type Request = {
    user: { userId: string; orgId: string; email: string }
    project: CallerProject
    /** Origin of the page that asks. */
    origin: string | undefined
    /** Address of who asks, if it is known. */
    clientIp: string | undefined
    userAgent: string | undefined
    requestId: string
    body: EmailAuthBody
  }
  /** `otpId`: names the six-digit code of the mail. */
  type ReturnType = (request: Request) => Promise<{ otpId: string }>
}

const answer = z.object({ emailAuthResult: z.object({ otpId: z.string() }) })

/**
 * Has custody make a session key for a user and mail link and code; resolves when the mail server took the mail.
 * Otherwise both are made useless before the error is told.
 *
 * Throws `RATE_LIMIT_EXCEEDED`, `MAIL_UNAVAILABLE`.
 */
export function createEmailAuth(parameters: createEmailAuth.Parameters): createEmailAuth.ReturnType {
  const { db, custody, mailTimeoutMs = 10_000 } = parameters
  return async (request) => {
    const tokens = tokensOf(parameters.limits, request)
    await takeAll(db, tokens)
    try {
      return await sendMail(request)
    } catch (error) {
      await returnAll(db, tokens)
      throw error
    }
  }

  async function sendMail(request: createEmailAuth.Request): Promise<{ otpId: string }> {
    const written = custody.write(activityTypes.emailAuth, request.user.orgId, activityParameters(request))
    let activity: CompletedActivity
    try {
      activity = await custody.submit(custodyPaths.emailAuth, written, request.requestId)
    } catch (error) {
      // Custody may have done it all the same, or be about to.
      await cancelMail(db, written)
      throw error
    }
    const state = await settleMail(db, { activityId: activity.id, timeoutMs: mailTimeoutMs })
    if (state === 'sent') return readAnswer(answer, activity.result).emailAuthResult
    throw new ServerError('The mail could not be sent. Try again in a moment.', {
      code: 'MAIL_UNAVAILABLE',
      status: 503,
    })
  }
}

function activityParameters({ user, project, origin, userAgent, body }: createEmailAuth.Request) {
  const redirectUrl = chooseRedirectUrl(project, origin)
  const requestedFrom = describeBrowser(userAgent)
  const { targetPublicKey, redirectParams, expirationSeconds } = body
  return {
    email: user.email,
    targetPublicKey: targetPublicKey.toLowerCase(),
    ...(expirationSeconds && { expirationSeconds: String(Math.ceil(expirationSeconds)) }),
    emailCustomization: {
      appName: project.name.slice(0, 64),
      ...(project.logoUrl && { logoUrl: project.logoUrl }),
      ...(redirectUrl && { magicLinkTemplate: buildLinkTemplate({ redirectUrl, redirectParams, orgId: user.orgId }) }),
      templateVariables: JSON.stringify({
        ...(requestedFrom && { requestedFrom }),
        requestedAt: new Date().toISOString(),
      }),
    },
  }
}

type Token = { token: { key: string } & Limit; what: string }

function tokensOf(limits: createEmailAuth.Parameters['limits'], request: createEmailAuth.Request): Token[] {
  const { user, project, clientIp } = request
  const toAddress = 'Too many mails were sent to this address'
  // Of the address, not of the user: several may claim one after the other.
  const address = `${project.organizationId} ${user.email.toLowerCase()}`
  const tokens = [
    { token: { key: `mail project ${project.id}`, ...limits.mailsPerProject }, what: 'Too many mails were sent' },
    { token: { key: `mail address ${address}`, ...limits.mailsPerAddress }, what: toAddress },
    { token: { key: `mail address daily ${address}`, ...limits.mailsPerAddressDaily }, what: toAddress },
  ]
  if (clientIp === undefined) return tokens
  return [
    { token: { key: `mail ip ${clientIp}`, ...limits.mailsPerIp }, what: 'Too many mails were asked for' },
    ...tokens,
  ]
}

/** All or none: who asks too often for one address must not use up what the whole project has. */
async function takeAll(db: Db, tokens: readonly Token[]): Promise<void> {
  for (const [index, { token, what }] of tokens.entries()) {
    const taken = await takeToken(db, token)
    if (taken.ok) continue
    await returnAll(db, tokens.slice(0, index))
    throw tooManyRequests(taken.retryAfterMs, what)
  }
}

async function returnAll(db: Db, tokens: readonly Token[]): Promise<void> {
  for (const { token } of tokens) await returnToken(db, token)
}
