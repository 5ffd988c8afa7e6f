import type { Context } from 'hono'
import { activityTypes, custodyPaths, type EmailAuthResponse, linkParameters } from 'latchkey-protocol'
import { z } from 'zod'
import { isPoint } from '../platform/crypto/encodings.ts'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { describeBrowser } from '../platform/http/describeBrowser.ts'
import { cancelMail, settleMail } from '../store/mailOutbox.ts'
import { landingUrls, type Project } from '../store/projects.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import { givenFactorsSchema } from './createFactorStep.ts'
import { type CompletedActivity, type CustodyClient, readResult } from './custodyClient.ts'
import type { Caller } from './requireProject.ts'
import type { createLimits } from './signerApiLimits.ts'

export const targetPublicKeySchema = z
  .string()
  .regex(/^04[0-9a-fA-F]{128}$/, 'must be an uncompressed P-256 point of 130 hex digits, starting with 04')
  // Checked before a user is created for the request.
  .refine((hex) => isPoint(hex), 'is not a point of P-256')

/** Body of `/v1/auth`, and of `/v1/signup` by e-mail. */
export const emailAuthSchema = z.object({
  email: z.string().max(512),
  targetPublicKey: targetPublicKeySchema,
  /** Custody clamps the value to its range; some clients send milliseconds. */
  expirationSeconds: z.number().positive().max(9_999_999_999).optional(),
  redirectParams: z.string().max(2048).optional(),
  emailMode: z.enum(['magicLink', 'otp']).optional(),
  multiFactors: givenFactorsSchema,
})

const resultSchema = z.object({ emailAuthResult: z.object({ otpId: z.string(), otpLength: z.int().optional() }) })

export declare namespace createEmailAuth {
  type Deps = {
    db: Db
    custody: CustodyClient
    limits: Pick<createLimits.ReturnType, 'takeMail'>
    /** Milliseconds to wait for the mail server to accept the mail. */
    mailTimeoutMs: number
    /** The configuration's projects, read at each request. */
    config: { readonly projects?: readonly upsertProject.Parameters[] | undefined }
  }
  type Parameters = {
    user: { userId: string; orgId: string; email: string; verified: boolean }
    body: z.output<typeof emailAuthSchema>
  }
  type ReturnType = (context: Context<Caller>, parameters: Parameters) => Promise<EmailAuthResponse>
  type ErrorType = ServerError
}

/**
 * Asks custody to create a session key for a user and to e-mail a link and a code. Resolves when the mail server has
 * accepted the mail. Invalidates link and code before it rejects.
 *
 * @throws `MAIL_UNAVAILABLE`, `MFA_REQUIRED`, `RATE_LIMIT_EXCEEDED`, and custody's errors.
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
  { db, custody, mailTimeoutMs, config }: createEmailAuth.Deps,
  context: Context<Caller>,
  { user, body }: createEmailAuth.Parameters,
): Promise<EmailAuthResponse> {
  const { project } = context.var
  const origin = context.req.header('origin')
  const userAgent = context.req.header('user-agent')
  const parameters = emailAuthParameters({ user, body, project, origin, userAgent, now: custody.now() })
  const factor = body.multiFactors?.length
    ? { multiFactors: body.multiFactors }
    : { codeOnly: isCodeOnly(config, project, body.emailMode) }
  const serialized = custody.serialize(activityTypes.emailAuth, user.orgId, { ...parameters, ...factor })
  let activity: CompletedActivity
  try {
    activity = await custody.submit(custodyPaths.emailAuth, serialized, context.var)
  } catch (error) {
    // Custody may have executed the activity despite the error, or may still do so.
    await cancelMail(db, serialized)
    throw error
  }
  const state = await settleMail(db, { activityId: activity.id, timeoutMs: mailTimeoutMs })
  if (state !== 'sent')
    throw new ServerError('The email could not be sent. Try again in a moment.', {
      code: 'MAIL_UNAVAILABLE',
      status: 503,
    })
  const { otpId, otpLength } = readResult(resultSchema, activity.result).emailAuthResult
  return { orgId: user.orgId, otpId, ...(otpLength !== undefined && { otpLength }) }
}

/**
 * Returns whether a user with a second factor gets a code without a link. Otherwise the request is refused until it
 * contains the factor, which tells the requester that the user has one.
 */
function isCodeOnly(
  { projects = [] }: createEmailAuth.Deps['config'],
  { id, hidesAccounts }: Project,
  mode: z.output<typeof emailAuthSchema>['emailMode'],
): boolean {
  if (mode === 'otp' || hidesAccounts) return true
  return mode === undefined && projects.find((project) => project.id === id)?.signerCodes === 'preferred'
}

export declare namespace emailAuthParameters {
  type Parameters = {
    user: { orgId: string; email: string; verified: boolean }
    project: Project
    /** Origin of the requesting page. */
    origin: string | undefined
    userAgent: string | undefined
    /** Milliseconds since the epoch. */
    now: number
    body: { targetPublicKey: string; expirationSeconds?: number | undefined; redirectParams?: string | undefined }
  }
}

/**
 * Returns the parameters of custody's `email_auth`: the session key's target key and lifetime, and the mail's content.
 */
export function emailAuthParameters(parameters: emailAuthParameters.Parameters) {
  const { user, project, origin, userAgent, now, body } = parameters
  const redirectUrl = chooseRedirectUrl(project, origin)
  const requestedFrom = describeBrowser(userAgent)
  const { targetPublicKey, redirectParams, expirationSeconds } = body
  const extra = project.hidesAccounts ? byMail(redirectParams, user) : redirectParams
  return {
    email: user.email,
    targetPublicKey: targetPublicKey.toLowerCase(),
    ...(expirationSeconds && { expirationSeconds: String(Math.ceil(expirationSeconds)) }),
    emailCustomization: {
      appName: project.name.slice(0, 64),
      ...(project.logoUrl && { logoUrl: project.logoUrl }),
      ...(redirectUrl && {
        magicLinkTemplate: buildLinkTemplate({ redirectUrl, redirectParams: extra, orgId: user.orgId }),
      }),
      templateVariables: JSON.stringify({
        ...(requestedFrom && { requestedFrom }),
        requestedAt: new Date(now).toISOString(),
      }),
    },
  }
}

/**
 * Returns the target of a mail link: the registered redirect URL on the requesting page's origin, or else the project's
 * first redirect URL. A project without redirect URLs uses the front pages of its origins. No other target is possible.
 * Undefined for a project without pages, whose mails contain only a code.
 */
export function chooseRedirectUrl(
  project: Pick<Project, 'redirectUrls' | 'allowedOrigins'>,
  origin: string | undefined,
): string | undefined {
  const urls = landingUrls(project)
  return urls.find((url) => new URL(url).origin === origin) ?? urls[0]
}

export declare namespace buildLinkTemplate {
  type Parameters = {
    /** Registered URL, http(s), without fragment. */
    redirectUrl: string
    redirectParams?: string | undefined
    orgId: string
  }
}

/** Builds a mail's link: the registered URL, then parameters. Custody replaces `%s` with the credential bundle. */
export function buildLinkTemplate({ redirectUrl, redirectParams, orgId }: buildLinkTemplate.Parameters): string {
  const separator = redirectUrl.includes('?') ? (/[?&]$/.test(redirectUrl) ? '' : '&') : '?'
  const extra = filterRedirectParams(redirectParams ?? '').toString()
  const own = `${linkParameters.bundle}=%s&${linkParameters.orgId}=${encodeURIComponent(orgId)}`
  return `${redirectUrl}${separator}${extra ? `${extra}&` : ''}${own}`
}

/**
 * Returns the link's parameters, which state whether the link is for a sign-up. Only the address's owner receives them,
 * in the mail; the response to the requester omits them.
 */
function byMail(redirectParams: string | undefined, { verified }: { verified: boolean }): string {
  const parameters = new URLSearchParams(redirectParams)
  parameters.delete(linkParameters.isSignup)
  if (!verified) parameters.set(linkParameters.isSignup, 'true')
  return parameters.toString()
}

/** Names that the server sets, or that could be mistaken for the link's target. Compared case-insensitively. */
const reserved = new Set(['bundle', 'orgid', 'host'])

/**
 * Returns an application's parameters for the link: without reserved names, and re-encoded, so that they cannot end the
 * query or host.
 */
function filterRedirectParams(redirectParams: string): URLSearchParams {
  const kept = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(redirectParams))
    if (!reserved.has(name.trim().toLowerCase())) kept.append(name, value)
  return kept
}
