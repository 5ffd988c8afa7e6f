import { p256 } from '@noble/curves/nist.js'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../store/openStore.ts'
import { landingUrls, type Project } from '../../store/projects.ts'
import { credentialBundle } from '../bundles/credentialBundle.ts'
import { addSessionKey } from '../credentials/addSessionKey.ts'
import { custodyError } from '../custodyError.ts'
import { defineActivity } from '../definitions.ts'
import type { CustodyContext } from '../deps.ts'
import { enqueueMail } from '../mails.ts'
import { isGenuineUser } from '../organizations/findUser.ts'
import { findOnlyProject } from '../organizations/trustedProjects.ts'
import { assertParentOnChild } from '../permissions.ts'
import { emailSchema, nameSchema, secondsSchema, uncompressedKeySchema } from '../schemas.ts'
import { addMailCode } from './codes/addMailCode.ts'
import { endOldMails } from './codes/endOldMails.ts'
import { emailCustomizationSchema } from './emailCustomizationSchema.ts'
import { findLinkProject } from './findLinkProject.ts'

const parametersSchema = z.strictObject({
  email: emailSchema,
  targetPublicKey: uncompressedKeySchema,
  apiKeyName: nameSchema.optional(),
  expirationSeconds: secondsSchema.optional(),
  emailCustomization: emailCustomizationSchema.optional(),
  invalidateExisting: z.boolean().optional(),
  sendFromEmailSenderName: nameSchema.max(64).optional(),
  replyToEmailAddress: emailSchema.optional(),
})

type Parameters = z.output<typeof parametersSchema>

const keys = (version: string) => ({ intent: `emailAuthIntent${version}`, result: 'emailAuthResult' })

/**
 * `email_auth`: makes a session key for the user with the address, seals it to the frame's key and queues the mail that
 * carries it, with a six-digit code for `otp_auth` (custody protocol § 2.7, § 4.3). Only the sealed mail holds bundle and
 * code; the answer has the code's `otpId`.
 */
export const emailAuth = defineActivity<Parameters>({
  types: {
    ACTIVITY_TYPE_EMAIL_AUTH_V3: keys('V3'),
    ACTIVITY_TYPE_EMAIL_AUTH_V2: keys('V2'),
    ACTIVITY_TYPE_EMAIL_AUTH: keys(''),
  },
  parameters: parametersSchema,
  authorize: assertParentOnChild,
  async execute(context, { db, activityId, caller, organization, parameters }) {
    const user = await findRecipient(context, db, { orgId: organization.id, email: parameters.email })
    const identity = { userId: user.id, orgId: organization.id }
    const { template, project } = chooseLink(context, { parameters, rootOrgId: caller.orgId })
    await endOldMails(context, db, identity)
    const privateKey = p256.utils.randomSecretKey()
    try {
      const session = await addSessionKey(context, db, {
        ...identity,
        name: parameters.apiKeyName ?? `Email Auth - ${new Date(context.now()).toISOString()}`,
        publicKey: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
        type: 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
        expirationSeconds: parameters.expirationSeconds,
        invalidateExisting: parameters.invalidateExisting,
      })
      const { targetPublicKey } = parameters
      const code = await addMailCode(context, db, { ...identity, ...session, targetPublicKey })
      const bundle = await credentialBundle({ targetPublicKey: Buffer.from(targetPublicKey, 'hex'), privateKey })
      await enqueueMail(context, db, {
        activityId,
        ...identity,
        credentialId: session.apiKeyId,
        expiresAt: session.expiresAt,
        payload: {
          to: user.email,
          ...dress(parameters, project),
          content: {
            kind: 'sign-in',
            link: template?.replace('%s', () => bundle),
            code: code.code,
            expiresAtMs: session.expiresAt.getTime(),
            codeExpiresAtMs: code.expiresAt.getTime(),
            ...parameters.emailCustomization?.templateVariables,
          },
        },
      })
      return { userId: user.id, apiKeyId: session.apiKeyId, otpId: code.otpId }
    } finally {
      privateKey.fill(0)
    }
  },
})

async function findRecipient(
  context: CustodyContext,
  db: Db,
  { orgId, email }: { orgId: string; email: string },
): Promise<{ id: string; email: string }> {
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    // Held until the mail is queued: whoever changes the address meanwhile waits, and then ends the key of that mail.
    .forUpdate()
    .executeTakeFirst()
  if (!user?.email || !isGenuineUser(context, user))
    throw custodyError('INVALID_EMAIL', 'No user of this organization has this e-mail address. Mail goes only there.')
  return { id: user.id, email: user.email }
}

/** The link that was asked for; else one to the page of the only project there is; else none, and the code alone. */
function chooseLink(
  context: CustodyContext,
  { parameters, rootOrgId }: { parameters: Parameters; rootOrgId: string },
): { template?: string | undefined; project?: Project | undefined } {
  const template = parameters.emailCustomization?.magicLinkTemplate
  if (template !== undefined) return { template, project: findLinkProject(context, { template, rootOrgId }) }
  const project = findOnlyProject(context, rootOrgId)
  const landing = project && landingUrls(project)[0]
  if (landing === undefined) return { project }
  return { template: `${landing}${landing.includes('?') ? '&' : '?'}bundle=%s`, project }
}

function dress({ emailCustomization, sendFromEmailSenderName, replyToEmailAddress }: Parameters, project?: Project) {
  return {
    appName: emailCustomization?.appName ?? project?.name ?? 'your wallet',
    logoUrl: emailCustomization?.logoUrl ?? project?.logoUrl ?? undefined,
    templateId: emailCustomization?.templateId,
    senderName: sendFromEmailSenderName,
    replyTo: replyToEmailAddress,
  }
}
