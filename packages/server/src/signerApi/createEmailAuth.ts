import type { Context } from 'hono'
import { activityTypes, custodyPaths, type EmailAuthResponse } from 'latchkey-protocol'
import { z } from 'zod'
import { isPoint } from '../platform/crypto/encodings.ts'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { cancelMail, settleMail } from '../store/mailOutbox.ts'
import { type CompletedActivity, type CustodyClient, readResult } from './custodyClient.ts'
import { emailAuthParameters } from './emailAuthParameters.ts'
import type { Caller } from './requireProject.ts'
import type { createLimits } from './signerApiLimits.ts'

export const targetPublicKeySchema = z
  .string()
  .regex(/^04[0-9a-fA-F]{128}$/, 'must be an uncompressed P-256 point of 130 hex digits, starting with 04')
  // Before a user is created for it.
  .refine((hex) => isPoint(hex), 'is not a point of P-256')

/** Body of `/v1/auth`, and of `/v1/signup` by e-mail. */
export const emailAuthSchema = z.object({
  email: z.string().max(512),
  targetPublicKey: targetPublicKeySchema,
  /** Custody limits it to its range; some clients send milliseconds. */
  expirationSeconds: z.number().positive().max(9_999_999_999).optional(),
  redirectParams: z.string().max(2048).optional(),
})

const resultSchema = z.object({ emailAuthResult: z.object({ otpId: z.string(), otpLength: z.int().optional() }) })

export declare namespace createEmailAuth {
  type Deps = {
    db: Db
    custody: CustodyClient
    limits: Pick<createLimits.ReturnType, 'takeMail'>
    /** How long to wait for the mail server to take the mail. */
    mailTimeoutMs: number
  }
  type Parameters = {
    user: { userId: string; orgId: string; email: string; verified: boolean }
    body: z.output<typeof emailAuthSchema>
  }
  type ReturnType = (context: Context<Caller>, parameters: Parameters) => Promise<EmailAuthResponse>
  type ErrorType = ServerError
}

/**
 * Has custody create a session key for a user and mail link and code; resolves when the mail server has taken the mail.
 * Before it rejects, both are made useless.
 *
 * @throws `RATE_LIMIT_EXCEEDED`, `MAIL_UNAVAILABLE`, and what custody throws.
 */
export function createEmailAuth(deps: createEmailAuth.Deps): createEmailAuth.ReturnType {
  return async (context, parameters) => {
    const { project, clientIp } = context.var
    const returnTokens = await deps.limits.takeMail({ project, email: parameters.user.email, clientIp })
    try {
      return await sendMail(deps, context, parameters)
    } catch (error) {
      await returnTokens()
      throw error
    }
  }
}

async function sendMail(
  { db, custody, mailTimeoutMs }: createEmailAuth.Deps,
  context: Context<Caller>,
  { user, body }: createEmailAuth.Parameters,
): Promise<EmailAuthResponse> {
  const { project } = context.var
  const origin = context.req.header('origin')
  const userAgent = context.req.header('user-agent')
  const parameters = emailAuthParameters({ user, body, project, origin, userAgent, now: custody.now() })
  const serialized = custody.serialize(activityTypes.emailAuth, user.orgId, parameters)
  let activity: CompletedActivity
  try {
    activity = await custody.submit(custodyPaths.emailAuth, serialized, context.var)
  } catch (error) {
    // Custody may have run it even so, or may still do so.
    await cancelMail(db, serialized)
    throw error
  }
  const state = await settleMail(db, { activityId: activity.id, timeoutMs: mailTimeoutMs })
  if (state !== 'sent')
    throw new ServerError('The mail could not be sent. Try again in a moment.', {
      code: 'MAIL_UNAVAILABLE',
      status: 503,
    })
  const { otpId, otpLength } = readResult(resultSchema, activity.result).emailAuthResult
  return { orgId: user.orgId, otpId, ...(otpLength !== undefined && { otpLength }) }
}
