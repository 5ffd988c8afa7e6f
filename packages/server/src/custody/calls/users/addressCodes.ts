import { randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { toMailbox } from '../../../platform/http/emails.ts'
import { tooManyRequests } from '../../../platform/limits/rateLimit.ts'
import {
  type AddressCode,
  createAddressProof,
  openAddressCode,
  sealAddressCode,
} from '../../credentials/addressProofs.ts'
import { callerOfCode } from '../../credentials/callerOfCode.ts'
import { returnCodeDigits, takeCodeDigits } from '../../credentials/codeBudget.ts'
import type { Caller } from '../../credentials/findCaller.ts'
import { codeExpired, countKnownAttempt } from '../../credentials/mailCodes.ts'
import { custodyError } from '../../custodyError.ts'
import { codeDigits, codeMs, maxCodeAttempts, proofsPerAddress, usedCodeMs } from '../../custodyLimits.ts'
import { codeSchema, emailSchema } from '../../custodySchemas.ts'
import { takeCustodyToken } from '../../custodyTokens.ts'
import { type ActivityAuthentication, type ActivityExecution, defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { enqueueMail, readBrand } from '../../enqueueMail.ts'
import { takesCodes, trustedProjects } from '../../organizations/trustedProjects.ts'
import { assertRootOnRoot } from '../../permissions.ts'

/**
 * `init_otp`: e-mails a code to an address, without a session (custody protocol § 2.7). Only the parent's key may call
 * it. The code can be exchanged for a proof of the address for `update_user_email`.
 *
 * @throws `METHOD_NOT_SUPPORTED` unless codes pass through the signer API in every project of the parent (see
 * docs/design/email-sign-in.md).
 */
export const initOtp = defineActivity({
  types: { ACTIVITY_TYPE_INIT_OTP: { intent: 'initOtpIntent', result: 'initOtpResult' } },
  parameters: z.strictObject({
    otpType: z.literal('OTP_TYPE_EMAIL', 'must be OTP_TYPE_EMAIL: this server knows no phone numbers'),
    contact: emailSchema,
  }),
  // The address may belong to a stranger, so the activity stores it as empty, and `purge` erases it from the log.
  secret: 'contact',
  authorize: assertRootOnRoot,
  quorum: false,
  isResultTransient: true,
  async execute(context, { db, activityId, asker, caller, organization, parameters: { contact } }) {
    const rootOrgId = organization.id
    assertServed(context, rootOrgId)
    const taken = await takeCustodyToken(db, { ...proofsPerAddress, key: `proof ${toMailbox(contact)}` })
    if (!taken.ok)
      throw tooManyRequests('custody.proofsPerAddress', taken.retryAfterMs, 'Too many emails were sent to this address')
    const isSixDigits = trustedProjects(context, rootOrgId).every(({ codes }) => codes === 'six-digits')
    const digits = await takeCodeDigits(db, { ...toOwner({ contact, rootOrgId, asker }), isSixDigits })
    const code = Array.from({ length: digits }, () => randomInt(10)).join('')
    const expiresAtMs = context.now() + codeMs
    const identity = { id: randomUUID(), rootOrgId, credentialId: caller.credentialId }
    await enqueueMail(context, db, {
      activityId,
      orgId: rootOrgId,
      userId: caller.userId,
      expiresAt: new Date(expiresAtMs),
      payload: {
        to: contact,
        ...readBrand(context, rootOrgId),
        content: { kind: 'address-code', code, expiresAtMs },
      },
    })
    return { otpId: sealAddressCode(context, { ...identity, contact, code, asker, expiresAtMs }) }
  },
})

const verificationSchema = z.strictObject({
  otpId: z.string().max(1024),
  otpCode: codeSchema,
})
type Verification = z.output<typeof verificationSchema>

/**
 * `verify_otp`: exchanges the code of an `init_otp` e-mail for a proof of the address, once. It needs no stamp, since
 * the code is the proof.
 * @throws `OTP_INVALID`, `OTP_EXPIRED`.
 */
export const verifyOtp = defineActivity({
  types: { ACTIVITY_TYPE_VERIFY_OTP: { intent: 'verifyOtpIntent', result: 'verifyOtpResult' } },
  parameters: verificationSchema,
  secret: 'otpCode',
  authenticate,
  // `authenticate` has already checked the code.
  authorize() {},
  quorum: false,
  isResultTransient: true,
  execute: prove,
})

/** Counts the attempt before any comparison and outside the transaction, so that all concurrent guesses count. */
async function authenticate(
  context: CustodyContext,
  { organization, parameters, at }: ActivityAuthentication<Verification>,
): Promise<Caller> {
  const known = openAddressCode(context, parameters.otpId)
  if (known.rootOrgId !== organization.id) throw codeExpired()
  countKnownAttempt(`address ${known.id}`)
  const attempt = { key: `address code attempts ${known.id}`, limit: maxCodeAttempts, windowMs: usedCodeMs }
  if (!(await takeCustodyToken(context.db, attempt)).ok) throw codeExpired()
  const [given, expected] = [parameters.otpCode, known.code].map((text) => Buffer.from(text.padEnd(codeDigits.long)))
  if (!given || !expected || !timingSafeEqual(given, expected))
    throw custodyError('OTP_INVALID', "That code isn't right. Enter the one from the newest email.")
  return callerOfCode(context, { credentialId: known.credentialId, organization, at })
}

async function prove(context: CustodyContext, { db, organization, parameters }: ActivityExecution<Verification>) {
  assertServed(context, organization.id)
  const known = openAddressCode(context, parameters.otpId)
  const used = { key: `address code used ${known.id}`, limit: 1, windowMs: usedCodeMs }
  if (!(await takeCustodyToken(db, used)).ok) throw codeExpired()
  await returnCodeDigits(db, { ...toOwner(known), digits: known.code.length })
  return { verificationToken: createAddressProof(context, known) }
}

/** Charges attempts to the e-mail address rather than to the requester. */
const toOwner = ({ contact, rootOrgId, asker }: Pick<AddressCode, 'contact' | 'rootOrgId' | 'asker'>) => ({
  userId: `address ${contact.toLowerCase()}`,
  rootOrgId,
  asker,
})

function assertServed(context: CustodyContext, rootOrgId: string): void {
  if (takesCodes(context, rootOrgId)) return
  throw custodyError(
    'METHOD_NOT_SUPPORTED',
    'This server does not verify addresses by code: the owner of a new address confirms by a link in an email to it. To ' +
      'allow codes, set "signerCodes": "allowed" for every project of the parent organization in the projects file of custody.',
  )
}
