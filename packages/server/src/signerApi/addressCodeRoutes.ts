import type { Context } from 'hono'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { requireEmail } from '../platform/http/emails.ts'
import { readJson } from '../platform/http/requestBody.ts'
import { cancelMail, settleMail } from '../store/mailOutbox.ts'
import { type CompletedActivity, type CustodyClient, readResult } from './custodyClient.ts'
import type { Caller } from './requireProject.ts'
import type { createLimits } from './signerApiLimits.ts'

export declare namespace askForAddressCode {
  type Deps = {
    db: Db
    custody: CustodyClient
    limits: Pick<createLimits.ReturnType, 'takeMail'>
    /** Milliseconds to wait for the mail server to accept the mail. */
    mailTimeoutMs: number
  }
}

/** Used only by published clients, so it is not in the tables that every page loads. */
export const addressCodePaths = { init: '/v1/init-otp', verify: '/v1/verify-otp' } as const
const initOtp = { path: '/public/v1/submit/init_otp', type: 'ACTIVITY_TYPE_INIT_OTP' }
const verifyOtp = { path: '/public/v1/submit/verify_otp', type: 'ACTIVITY_TYPE_VERIFY_OTP' }

export const initSchema = z.object({
  otpType: z.literal('OTP_TYPE_EMAIL', 'must be OTP_TYPE_EMAIL: this server does not support phone numbers'),
  contact: z.string().max(512),
})
const initResult = z.object({ initOtpResult: z.object({ otpId: z.string() }) })

/**
 * Asks custody to e-mail a code to a user's new address. Resolves when the mail server has accepted the mail. The
 * response does not reveal whether an account has the address.
 *
 * @throws `RATE_LIMIT_EXCEEDED`, `MAIL_UNAVAILABLE`, and custody's errors.
 */
export async function askForAddressCode(deps: askForAddressCode.Deps, context: Context<Caller>): Promise<Response> {
  const { project, clientIp } = context.var
  const { otpType, contact } = await readJson(context.req.raw, initSchema)
  const email = requireEmail(contact)
  const returnTokens = await deps.limits.takeMail({ project, email, clientIp })
  try {
    const parameters = { otpType, contact: email }
    const activity = await mail(deps, context, deps.custody.serialize(initOtp.type, project.organizationId, parameters))
    return context.json({ otpId: readResult(initResult, activity.result).initOtpResult.otpId })
  } catch (error) {
    await returnTokens()
    throw error
  }
}

async function mail(
  { db, custody, mailTimeoutMs }: askForAddressCode.Deps,
  context: Context<Caller>,
  serialized: ReturnType<CustodyClient['serialize']>,
): Promise<CompletedActivity> {
  let activity: CompletedActivity
  try {
    activity = await custody.submit(initOtp.path, serialized, context.var)
  } catch (error) {
    // Custody may have executed the activity despite the error, or may still do so.
    await cancelMail(db, serialized)
    throw error
  }
  if ((await settleMail(db, { activityId: activity.id, timeoutMs: mailTimeoutMs })) === 'sent') return activity
  throw new ServerError('The email could not be sent. Try again in a moment.', {
    code: 'MAIL_UNAVAILABLE',
    status: 503,
  })
}

export const verifySchema = z.object({ otpId: z.string().max(1024), otpCode: z.string().max(64) })
const verifyResult = z.object({ verifyOtpResult: z.object({ verificationToken: z.string() }) })

/**
 * Exchanges an emailed code for custody's proof of the address, which `update-email-auth` accepts.
 *
 * @throws `OTP_INVALID`, `OTP_EXPIRED`.
 */
export async function verifyAddressCode(
  { custody }: Pick<askForAddressCode.Deps, 'custody'>,
  context: Context<Caller>,
): Promise<Response> {
  const { otpId, otpCode } = await readJson(context.req.raw, verifySchema)
  const parameters = { otpId, otpCode: otpCode.trim() }
  const activity = custody.serialize(verifyOtp.type, context.var.project.organizationId, parameters)
  const { result } = await custody.redeem(verifyOtp.path, activity, context.var)
  return context.json({ verificationToken: readResult(verifyResult, result).verifyOtpResult.verificationToken })
}
