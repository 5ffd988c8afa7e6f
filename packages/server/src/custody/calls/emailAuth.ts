import { randomUUID } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { sql } from 'kysely'
import { z } from 'zod'
import { sealMail } from '../../keys/mailSeal.ts'
import type { Db } from '../../store/openStore.ts'
import { mailChannel } from '../../store/outbox/channel.ts'
import { defineActivity } from '../activities/definition.ts'
import { credentialBundle } from '../bundles/credentialBundle.ts'
import { addSessionKey } from '../credentials/addSessionKey.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuineUser } from '../organizations/findUser.ts'
import { findLinkProject } from './findLinkProject.ts'
import { assertParentOnChild } from './permissions.ts'
import { emailSchema, nameSchema, secondsSchema, uncompressedKeySchema } from './schemas.ts'

const parametersSchema = z.strictObject({
  email: emailSchema,
  targetPublicKey: uncompressedKeySchema,
  apiKeyName: nameSchema.optional(),
  expirationSeconds: secondsSchema.optional(),
  emailCustomization: z.strictObject({
    appName: nameSchema.max(64).optional(),
    magicLinkTemplate: z.string().max(4096),
  }),
  invalidateExisting: z.boolean().optional(),
})

type Parameters = z.output<typeof parametersSchema>

const keys = (version: string) => ({ intent: `emailAuthIntent${version}`, result: 'emailAuthResult' })

/**
 * `email_auth`: makes a session key for the user with the address, seals it to the frame's key and queues the mail
 * that carries it (custody protocol § 2.7, § 4.3). Only the sealed mail holds the bundle; the answer does not.
 */
export const emailAuth = defineActivity<Parameters>({
  types: {
    ACTIVITY_TYPE_EMAIL_AUTH_V3: keys('V3'),
    ACTIVITY_TYPE_EMAIL_AUTH_V2: keys('V2'),
    ACTIVITY_TYPE_EMAIL_AUTH: keys(''),
  },
  parameters: parametersSchema,
  authorize: assertParentOnChild,
  async execute(context, { db, activityId, organization, parameters }) {
    const user = await findRecipient(context, db, { orgId: organization.id, email: parameters.email })
    const { magicLinkTemplate, appName } = parameters.emailCustomization
    const project = await findLinkProject(db, magicLinkTemplate)
    const now = new Date(context.now())
    const privateKey = p256.utils.randomSecretKey()
    try {
      const { apiKeyId, expiresAt } = await addSessionKey(context, db, {
        userId: user.id,
        orgId: organization.id,
        name: parameters.apiKeyName ?? `Email Auth - ${now.toISOString()}`,
        publicKey: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
        type: 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
        expirationSeconds: parameters.expirationSeconds,
        invalidateExisting: parameters.invalidateExisting,
      })
      const targetPublicKey = Buffer.from(parameters.targetPublicKey, 'hex')
      const bundle = await credentialBundle({ targetPublicKey, privateKey })
      const mail = { id: randomUUID(), recipient: user.email }
      const link = magicLinkTemplate.replace('%s', () => bundle)
      const payload = { to: user.email, appName: appName ?? project.name, link, expiresAtMs: expiresAt.getTime() }
      await db
        .insertInto('mail_outbox')
        .values({
          ...mail,
          activity_id: activityId,
          org_id: organization.id,
          user_id: user.id,
          credential_id: apiKeyId,
          template: 'email-auth',
          payload_sealed: sealMail(context.mailSealKey, mail, payload),
          state: 'queued',
          expires_at: expiresAt,
        })
        .execute()
      // Delivered when the transaction commits.
      await sql`select pg_notify(${mailChannel}, ${mail.id})`.execute(db)
      return { userId: user.id, apiKeyId }
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
    .executeTakeFirst()
  if (!user?.email || !isGenuineUser(context, user))
    throw custodyError('INVALID_EMAIL', 'No user of this organization has this e-mail address. Mail goes only there.')
  return { id: user.id, email: user.email }
}
