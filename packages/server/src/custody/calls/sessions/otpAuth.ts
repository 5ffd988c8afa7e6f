import type { Selectable } from 'kysely'
import { codeRefusedText, type OtpAuthResult } from 'latchkey-protocol'
import { z } from 'zod'
import type { MailCodeTable } from '../../../platform/database/tables.ts'
import { addSealedSession } from '../../credentials/addSessionKey.ts'
import { callerOfCode } from '../../credentials/callerOfCode.ts'
import type { Caller } from '../../credentials/findCaller.ts'
import { countAttempt, returnAttempt, spendCode } from '../../credentials/mailCodes.ts'
import { revokeCredentials } from '../../credentials/revokeCredentials.ts'
import { custodyError } from '../../custodyError.ts'
import { maxCodeAttempts } from '../../custodyLimits.ts'
import { codeSchema, nameSchema, secondsSchema, uncompressedKeySchema } from '../../custodySchemas.ts'
import { type ActivityAuthentication, type ActivityExecution, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { countFactorTry, givenFactorsSchema, requireFactor } from '../../factors/requireFactor.ts'
import { isGenuine } from '../../macs.ts'
import { assertNotFrozen } from '../../organizations/organization.ts'

const parametersSchema = z.strictObject({
  otpId: z.uuid(),
  otpCode: codeSchema,
  targetPublicKey: uncompressedKeySchema,
  apiKeyName: nameSchema.optional(),
  expirationSeconds: secondsSchema.optional(),
  invalidateExisting: z.boolean().optional(),
  multiFactors: givenFactorsSchema,
})

type Parameters = z.output<typeof parametersSchema>

/**
 * `otp_auth`: signs in by the code of an `email_auth` e-mail. The request has no stamp: the code proves the caller and
 * the address. Opens a session only for the embedded key that requested the e-mail, so a stolen code is useless in
 * another browser. Revokes the session key of the e-mail's link. A user's second factor is needed as well.
 *
 * @throws `MFA_INVALID`, `MFA_REQUIRED`, `OTP_INVALID`, `OTP_EXPIRED`.
 */
export const otpAuth = defineActivity({
  types: { ACTIVITY_TYPE_OTP_AUTH: { intent: 'otpAuthIntent', result: 'otpAuthResult' } },
  parameters: parametersSchema,
  secret: 'otpCode',
  authenticate,
  // `authenticate` has already checked the code, whose holder may sign in.
  authorize() {},
  quorum: false,
  // A code from before the deletion proves the mailbox, but its session can only cancel the deletion.
  duringDeletion: true,
  // Reports the freeze only after the code is proven, so that knowing the address does not reveal the freeze.
  duringFreeze: true,
  isResultTransient: true,
  verify: (context, { parameters: { multiFactors: given } }) => countFactorTry(context, { given, proof: 'mailbox' }),
  execute: openSession,
})

/** Authenticates the code as the session key of its e-mail, as long as that key is valid. */
async function authenticate(
  context: CustodyContext,
  { organization, parameters, at }: ActivityAuthentication<Parameters>,
): Promise<Caller> {
  const code = await countAttempt(context, { ...parameters, orgId: organization.id })
  checkCode(context, code, parameters)
  await returnAttempt(context, code)
  assertNotFrozen(organization)
  return callerOfCode(context, { credentialId: code.credential_id, organization, at })
}

/** Checks a code. Its MAC also covers the frame's key, so replacing the key in the row makes the code wrong. */
function checkCode(context: CustodyContext, code: Selectable<MailCodeTable>, { otpCode }: Parameters): void {
  if (isGenuine(context.macKey, 'mail_codes', { ...code, code: otpCode })) return
  throw custodyError('OTP_INVALID', codeRefusedText(maxCodeAttempts - code.attempts))
}

async function openSession(
  context: CustodyContext,
  { db, activityId, caller, organization, parameters }: ActivityExecution<Parameters>,
): Promise<OtpAuthResult> {
  const { orgId, userId } = caller
  // Locks the user before the code, in the same order as the calls that create and revoke codes.
  await requireFactor(context, db, { orgId, userId, activityId, given: parameters.multiFactors, proof: 'mailbox' })
  const spent = await spendCode(context, db, { otpId: parameters.otpId, orgId, rootOrgId: caller.rootOrgId })
  const { apiKeyId, credentialBundle } = await addSealedSession(context, db, {
    userId,
    orgId: organization.id,
    name: parameters.apiKeyName ?? `OTP Auth - ${new Date(context.now()).toISOString()}`,
    targetPublicKey: parameters.targetPublicKey,
    type: 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
    expirationSeconds: parameters.expirationSeconds ?? spent.session_seconds,
    invalidateExisting: parameters.invalidateExisting,
  })
  await revokeCredentials(context, db, { orgId, userId, ids: [caller.credentialId] })
  return { userId, apiKeyId, credentialBundle }
}
