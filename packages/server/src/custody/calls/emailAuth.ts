import { randomUUID } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { sql } from 'kysely'
import { z } from 'zod'
import { sealMail } from '../../keys/mailSeal.ts'
import type { Db } from '../../store/openStore.ts'
import { mailChannel } from '../../store/outbox/channel.ts'
import { defineActivity } from '../activities/definition.ts'
import { credentialBundle } from '../bundles/credentialBundle.ts'
import { addApiKey } from '../credentials/addApiKey.ts'
import { makeRoomForSessionKey } from '../credentials/makeRoomForSessionKey.ts'
import { custodyError } from '../custodyError.ts'
import { findLinkProject } from './findLinkProject.ts'
import { assertParentOnChild } from './permissions.ts'
import { emailSchema, nameSchema, secondsSchema, uncompressedKeySchema } from './schemas.ts'

const minSeconds = 60
const maxSeconds = 86_400

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
    const user = await findRecipient(db, organization.id, parameters.email)
    const { magicLinkTemplate, appName } = parameters.emailCustomization
    const project = await findLinkProject(db, magicLinkTemplate)
    const now = new Date(context.now())
    const expiresAt = new Date(now.getTime() + clampSeconds(parameters.expirationSeconds) * 1000)

    await makeRoomForSessionKey(db, { userId: user.id, now, all: parameters.invalidateExisting })
    const privateKey = p256.utils.randomSecretKey()
    try {
      const apiKeyId = await addApiKey(db, context.macKey, {
        userId: user.id,
        orgId: organization.id,
        name: parameters.apiKeyName ?? `Email Auth - ${now.toISOString()}`,
        publicKey: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
        emailSession: true,
        expiresAt,
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

/**
 * Life of a session key: 15 minutes unless asked otherwise, within a minute and a day. Old clients send milliseconds
 * here; those are clamped like any other large number.
 */
export function clampSeconds(seconds = 900): number {
  return Math.min(Math.max(seconds, minSeconds), maxSeconds)
}

async function findRecipient(db: Db, orgId: string, email: string): Promise<{ id: string; email: string }> {
  const user = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('org_id', '=', orgId)
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst()
  if (!user?.email)
    throw custodyError('INVALID_EMAIL', 'No user of this organization has this e-mail address. Mail goes only there.')
  return { id: user.id, email: user.email }
}
