import { p256 } from '@noble/curves/nist.js'
import type { Selectable } from 'kysely'
import type { OtpAuthResult } from 'latchkey/wire'
import { z } from 'zod'
import { tooManyRequests } from '../../http/rateLimit.ts'
import type { MailCodeTable } from '../../store/tables.ts'
import { returnToken, takeToken } from '../../store/takeToken.ts'
import { credentialBundle } from '../bundles/credentialBundle.ts'
import { addSessionKey } from '../credentials/addSessionKey.ts'
import type { Caller } from '../credentials/findCaller.ts'
import { revokeCredentials } from '../credentials/revokeCredentials.ts'
import { custodyError } from '../custodyError.ts'
import { type ActivityAuthentication, type ActivityExecution, defineActivity } from '../definitions.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'
import { nameSchema, secondsSchema, uncompressedKeySchema } from '../schemas.ts'
import { claimAttempt, expired, maxAttempts } from './codes/claimAttempt.ts'

const parametersSchema = z.strictObject({
  otpId: z.uuid(),
  otpCode: z.string().regex(/^\d{6}$/, 'must be the six digits of the mail'),
  targetPublicKey: uncompressedKeySchema,
  apiKeyName: nameSchema.optional(),
  expirationSeconds: secondsSchema.optional(),
  invalidateExisting: z.boolean().optional(),
})

type Parameters = z.output<typeof parametersSchema>
type Code = Selectable<MailCodeTable>

/** Wrong codes of one user in a day, over all mails: a guesser who has ever new mails sent gets no further. */
const wrongCodes = { limit: 20, windowMs: 24 * 3_600_000 }

/**
 * `otp_auth`: signs in by the six-digit code of an `email_auth` mail. It has no stamp: the code is the proof, also of the
 * address. It opens a session only for the embedded key the mail was asked for with, so a code that somebody else got hold
 * of is of no use in another browser. The session key of the mail's link is revoked.
 *
 * Throws `OTP_INVALID`, `OTP_EXPIRED` (400), `RATE_LIMIT_EXCEEDED` (429).
 */
export const otpAuth = defineActivity<Parameters>({
  types: { ACTIVITY_TYPE_OTP_AUTH: { intent: 'otpAuthIntent', result: 'otpAuthResult' } },
  parameters: parametersSchema,
  secret: 'otpCode',
  authenticate,
  // Whoever has the code may.
  authorize() {},
  quorum: false,
  isResultTransient: true,
  execute: openSession,
})

/** The session key of the mail speaks for who holds its code, and no longer than it lives. */
async function authenticate(
  context: CustodyContext,
  { organization, parameters, at }: ActivityAuthentication<Parameters>,
): Promise<Caller> {
  const code = await claimAttempt(context, { otpId: parameters.otpId, orgId: organization.id })
  await checkCode(context, code, parameters)
  const key = await context.db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', code.credential_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!key || !isGenuine(context.macKey, 'credentials', key)) throw expired()
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

/** A code for another frame's key is as wrong as another code, and takes as long to be found so. */
async function checkCode(context: CustodyContext, code: Code, parameters: Parameters): Promise<void> {
  const limit = { key: `wrong code ${code.user_id}`, ...wrongCodes }
  const taken = await takeToken(context.db, limit)
  if (!taken.ok) throw tooManyRequests(taken.retryAfterMs, 'Too many wrong codes were entered')
  const { otpCode, targetPublicKey } = parameters
  const claimed = { ...code, target_public_key: targetPublicKey.toLowerCase(), code: otpCode, mac: code.code_mac }
  if (isGenuine(context.macKey, 'mail_codes', claimed)) return returnToken(context.db, limit)
  const left = maxAttempts - code.attempts
  throw custodyError('OTP_INVALID', `The code is not right. ${left} attempts are left.`)
}

/** A fresh session key, sealed to the frame. */
async function openSession(
  context: CustodyContext,
  { db, caller, organization, parameters }: ActivityExecution<Parameters>,
): Promise<OtpAuthResult> {
  const { userId } = caller
  // Before the code, as those do who make codes or end them.
  await db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
  const spent = await db
    .updateTable('mail_codes')
    .set({ spent_at: new Date(context.now()) })
    .where('id', '=', parameters.otpId)
    .where('spent_at', 'is', null)
    .returning('session_seconds')
    .executeTakeFirst()
  if (!spent) throw expired()
  const privateKey = p256.utils.randomSecretKey()
  try {
    const { apiKeyId } = await addSessionKey(context, db, {
      userId,
      orgId: organization.id,
      name: parameters.apiKeyName ?? `OTP Auth - ${new Date(context.now()).toISOString()}`,
      publicKey: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
      type: 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
      expirationSeconds: parameters.expirationSeconds ?? spent.session_seconds,
      invalidateExisting: parameters.invalidateExisting,
    })
    await revokeCredentials(context, db, { userId, ids: [caller.credentialId] })
    const targetPublicKey = Buffer.from(parameters.targetPublicKey, 'hex')
    return { userId, apiKeyId, credentialBundle: await credentialBundle({ targetPublicKey, privateKey }) }
  } finally {
    privateKey.fill(0)
  }
}
