import type { Selectable } from 'kysely'
import type { OtpAuthResult } from 'latchkey/wire'
import { z } from 'zod'
import { tooManyRequests } from '../../../http/rateLimit.ts'
import type { MailCodeTable } from '../../../store/tables.ts'
import type { Caller } from '../../credentials/findCaller.ts'
import { revokeCredentials } from '../../credentials/revokeCredentials.ts'
import { custodyError } from '../../custodyError.ts'
import { returnCustodyToken, takeCustodyToken } from '../../custodyTokens.ts'
import { type ActivityAuthentication, type ActivityExecution, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { maxCodeAttempts, wrongCodesPerUser } from '../../limits.ts'
import { isGenuine } from '../../macs.ts'
import { nameSchema, secondsSchema, uncompressedKeySchema } from '../../schemas.ts'
import { addSealedSession } from './addSealedSession.ts'
import { codeExpired, countAttempt, spendCode } from './mailCodes.ts'

const parametersSchema = z.strictObject({
  otpId: z.uuid(),
  otpCode: z.string().regex(/^\d{6}$/, 'must be the six digits of the mail'),
  targetPublicKey: uncompressedKeySchema,
  apiKeyName: nameSchema.optional(),
  expirationSeconds: secondsSchema.optional(),
  invalidateExisting: z.boolean().optional(),
})

type Parameters = z.output<typeof parametersSchema>

/**
 * `otp_auth`: signs in by the six-digit code of an `email_auth` mail. It has no stamp: the code is the proof, also of
 * the address. It opens a session only for the embedded key that requested the mail, so a stolen code is useless in
 * another browser. The session key of the mail's link is revoked.
 *
 * @throws `OTP_INVALID`, `OTP_EXPIRED`, `RATE_LIMIT_EXCEEDED`.
 */
export const otpAuth = defineActivity({
  types: { ACTIVITY_TYPE_OTP_AUTH: { intent: 'otpAuthIntent', result: 'otpAuthResult' } },
  parameters: parametersSchema,
  secret: 'otpCode',
  authenticate,
  // The holder of the code may sign in: `authenticate` has checked it.
  authorize() {},
  quorum: false,
  isResultTransient: true,
  execute: openSession,
})

/** The code authenticates as the session key of its mail, as long as that lives. */
async function authenticate(
  context: CustodyContext,
  { organization, parameters, at }: ActivityAuthentication<Parameters>,
): Promise<Caller> {
  const code = await countAttempt(context, { otpId: parameters.otpId, orgId: organization.id })
  await checkCode(context, code, parameters)
  const key = await context.db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', code.credential_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!key || !isGenuine(context.macKey, 'credentials', key)) throw codeExpired()
  return {
    credentialId: key.id,
    userId: key.user_id,
    orgId: key.org_id,
    rootOrgId: organization.parentId ?? organization.id,
    kind: key.kind,
    type: key.type,
    publicKey: key.public_key,
    emailSession: key.email_session,
    userVerified: false,
    credentialCreatedAt: key.created_at,
    expiresAt: key.expires_at,
    at,
    authenticatedAt: at,
    signCount: 0,
  }
}

/** A code for another frame's key is as wrong as another code, and takes as long to refuse. */
async function checkCode(
  context: CustodyContext,
  code: Selectable<MailCodeTable>,
  { otpCode, targetPublicKey }: Parameters,
): Promise<void> {
  const limit = { key: `wrong code ${code.user_id}`, ...wrongCodesPerUser }
  const taken = await takeCustodyToken(context.db, limit)
  if (!taken.ok) throw tooManyRequests(taken.retryAfterMs, 'Too many wrong codes were entered')
  const claimed = { ...code, target_public_key: targetPublicKey.toLowerCase(), code: otpCode }
  if (isGenuine(context.macKey, 'mail_codes', claimed)) return returnCustodyToken(context.db, limit)
  const left = maxCodeAttempts - code.attempts
  throw custodyError('OTP_INVALID', `The code is not right. ${left} attempts are left.`)
}

async function openSession(
  context: CustodyContext,
  { db, caller, organization, parameters }: ActivityExecution<Parameters>,
): Promise<OtpAuthResult> {
  const { userId } = caller
  // The user is locked before the code, in the order of the calls that make and revoke codes.
  await db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
  const spent = await spendCode(context, db, parameters.otpId)
  const { apiKeyId, credentialBundle } = await addSealedSession(context, db, {
    userId,
    orgId: organization.id,
    name: parameters.apiKeyName ?? `OTP Auth - ${new Date(context.now()).toISOString()}`,
    targetPublicKey: parameters.targetPublicKey,
    type: 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
    expirationSeconds: parameters.expirationSeconds ?? spent.session_seconds,
    invalidateExisting: parameters.invalidateExisting,
  })
  await revokeCredentials(context, db, { userId, ids: [caller.credentialId] })
  return { userId, apiKeyId, credentialBundle }
}
