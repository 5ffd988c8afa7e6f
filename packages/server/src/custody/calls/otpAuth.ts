import { randomUUID } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import type { Selectable } from 'kysely'
import type { ActivityResponse, OtpAuthResult } from 'latchkey/wire'
import { z } from 'zod'
import { parseJson } from '../../http/parseJson.ts'
import { tooManyRequests } from '../../http/rateLimit.ts'
import { ServerError } from '../../http/ServerError.ts'
import { validate } from '../../http/validate.ts'
import type { Db } from '../../store/openStore.ts'
import { returnToken, takeToken } from '../../store/rateLimits/takeToken.ts'
import type { MailCodeTable } from '../../store/tables.ts'
import { assertFresh, assertType, type Envelope, parseEnvelope } from '../activities/envelope.ts'
import { eraseResults } from '../activities/eraseResults.ts'
import { fingerprint } from '../activities/fingerprint.ts'
import { toActivity } from '../activities/toActivity.ts'
import { appendLog } from '../audit/appendLog.ts'
import { credentialBundle } from '../bundles/credentialBundle.ts'
import { addSessionKey } from '../credentials/addSessionKey.ts'
import { revokeCredentials } from '../credentials/revokeCredentials.ts'
import type { CustodyContext } from '../deps.ts'
import { findOrganization } from '../organizations/findOrganization.ts'
import { findUser } from '../organizations/findUser.ts'
import { isSameMac } from '../rowMac.ts'
import { claimAttempt, expired, maxAttempts, type Tries } from './codes/claimAttempt.ts'
import { mailCodeMac } from './codes/mailCodeMac.ts'
import { nameSchema, secondsSchema, uncompressedKeySchema } from './schemas.ts'

const types = { ACTIVITY_TYPE_OTP_AUTH: { intent: 'otpAuthIntent', result: 'otpAuthResult' } }

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

export declare namespace createOtpAuth {
  type Request = { body: Uint8Array }
  type ReturnType = (context: CustodyContext, request: Request) => Promise<ActivityResponse>
}

/**
 * `otp_auth`: signs in by the six-digit code of an `email_auth` mail. It has no stamp: the code is the proof. It opens a
 * session only for the embedded key the mail was asked for with, so a code that somebody else got hold of is of no use in
 * another browser. The session key of the mail's link is revoked.
 *
 * Throws `OTP_INVALID`, `OTP_EXPIRED` (400), `RATE_LIMIT_EXCEEDED` (429).
 */
export function createOtpAuth(): createOtpAuth.ReturnType {
  const tries: Tries = new Map()
  return async (context, { body }) => {
    const envelope = parseEnvelope(parseJson(body))
    assertType(envelope, types)
    assertFresh(context, envelope)
    const parameters = validate(parametersSchema, envelope.parameters, 'activity')
    const { id: orgId } = await findOrganization(context, envelope.organizationId)

    // Sent again, since the answer was lost: whoever knows the whole request knows the code.
    const stored = await findStored(context.db, orgId, body)
    if (stored) return present(context, stored)
    const code = await claimAttempt(context, tries, { otpId: parameters.otpId, orgId })
    await checkCode(context, code, parameters)
    const row = await context.db
      .transaction()
      .execute((db) => signIn(context, db, { code, parameters, envelope, body }))
    return present(context, row)
  }
}

function present(context: CustodyContext, row: globalThis.Parameters<typeof toActivity>[0]): ActivityResponse {
  return { activity: toActivity(row, { now: new Date(context.now()) }) }
}

function findStored(db: Db, orgId: string, body: Uint8Array) {
  return db
    .selectFrom('activities')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('fingerprint', '=', fingerprint(body))
    .executeTakeFirst()
}

/** A code for another frame's key is as wrong as another code, and takes as long to be found so. */
async function checkCode(context: CustodyContext, code: Code, parameters: Parameters): Promise<void> {
  const limit = { key: `wrong code ${code.user_id}`, ...wrongCodes }
  const taken = await takeToken(context.db, limit)
  if (!taken.ok) throw tooManyRequests(taken.retryAfterMs, 'Too many wrong codes were entered')
  const claimed = { ...code, target_public_key: parameters.targetPublicKey.toLowerCase() }
  if (isSameMac(mailCodeMac(context.macKey, claimed, parameters.otpCode), code.code_mac))
    return returnToken(context.db, limit)
  const left = maxAttempts - code.attempts
  throw new ServerError(`The code is not right. ${left} attempts are left.`, { code: 'OTP_INVALID', status: 400 })
}

async function signIn(
  context: CustodyContext,
  db: Db,
  request: { code: Code; parameters: Parameters; envelope: Envelope; body: Uint8Array },
) {
  const { code, parameters, envelope, body } = request
  const now = new Date(context.now())
  const spent = await db
    .updateTable('mail_codes')
    .set({ spent_at: now })
    .where('id', '=', code.id)
    .where('spent_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!spent) throw expired()
  const user = await findUser(context, db, { orgId: code.org_id, userId: code.user_id })
  const session = await openSession(context, db, { code, parameters })
  await revokeCredentials(context, db, { userId: user.id, ids: code.credential_id ? [code.credential_id] : [] })
  await eraseResults(db, now)
  const { otpCode: _, ...intent } = parameters
  const activity = await db
    .insertInto('activities')
    .values({
      id: randomUUID(),
      org_id: code.org_id,
      fingerprint: fingerprint(body),
      type: envelope.type,
      status: 'ACTIVITY_STATUS_COMPLETED',
      intent: JSON.stringify({ [types.ACTIVITY_TYPE_OTP_AUTH.intent]: intent }),
      result: JSON.stringify({
        [types.ACTIVITY_TYPE_OTP_AUTH.result]: {
          userId: user.id,
          apiKeyId: session.apiKeyId,
          credentialBundle: session.bundle,
        } satisfies OtpAuthResult,
      }),
      result_expires_at: code.expires_at,
      user_id: user.id,
      credential_id: session.apiKeyId,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await appendLog(context, db, {
    org_id: code.org_id,
    activity_id: activity.id,
    user_id: user.id,
    credential_id: session.apiKeyId,
    credential_public_key: session.publicKey,
    type: envelope.type,
    status: activity.status,
    body,
    stamp: `code: ${code.id}`,
    logged_at: now,
  })
  return activity
}

/** A fresh session key, sealed to the frame. As with the key of a link, its first use proves the address. */
async function openSession(
  context: CustodyContext,
  db: Db,
  { code, parameters }: { code: Code; parameters: Parameters },
): Promise<{ apiKeyId: string; publicKey: string; bundle: string }> {
  const privateKey = p256.utils.randomSecretKey()
  try {
    const publicKey = Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex')
    const { apiKeyId } = await addSessionKey(context, db, {
      userId: code.user_id,
      orgId: code.org_id,
      name: parameters.apiKeyName ?? `OTP Auth - ${new Date(context.now()).toISOString()}`,
      publicKey,
      type: 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
      expirationSeconds: parameters.expirationSeconds ?? code.session_seconds,
      invalidateExisting: parameters.invalidateExisting,
    })
    const targetPublicKey = Buffer.from(code.target_public_key, 'hex')
    return { apiKeyId, publicKey, bundle: await credentialBundle({ targetPublicKey, privateKey }) }
  } finally {
    privateKey.fill(0)
  }
}
