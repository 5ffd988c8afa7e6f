import { p256 } from '@noble/curves/nist.js'
import { z } from 'zod'
import { credentialBundle } from '../bundles/credentialBundle.ts'
import { addSessionKey } from '../credentials/addSessionKey.ts'
import { custodyError } from '../custodyError.ts'
import { type ActivityExecution, defineActivity } from '../definitions.ts'
import type { CustodyContext } from '../deps.ts'
import { findUser } from '../organizations/findUser.ts'
import { assertSigningIn } from '../permissions.ts'
import { emailSchema, idSchema, nameSchema, secondsSchema, uncompressedKeySchema } from '../schemas.ts'

const parametersSchema = z.strictObject({
  targetPublicKey: uncompressedKeySchema,
  /** Version 1 names the user by e-mail, version 2 by id or not at all. */
  email: emailSchema.optional(),
  userId: idSchema.optional(),
  apiKeyName: nameSchema.optional(),
  expirationSeconds: secondsSchema.optional(),
  invalidateExisting: z.boolean().optional(),
})

type Parameters = z.output<typeof parametersSchema>

/**
 * `create_read_write_session`, versions 1 and 2: a session key sealed to a frame's key, for the user who stamps and
 * nobody else (custody protocol §§ 2.7, 4.3).
 */
export const createReadWriteSession = defineActivity<Parameters>({
  types: {
    ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2: {
      intent: 'createReadWriteSessionIntentV2',
      result: 'createReadWriteSessionResultV2',
    },
    ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: {
      intent: 'createReadWriteSessionIntent',
      result: 'createReadWriteSessionResult',
    },
  },
  parameters: parametersSchema,
  authorize: assertSigningIn,
  quorum: false,
  isResultTransient: true,
  execute: createSession,
})

async function createSession(
  context: CustodyContext,
  { db, caller, organization, parameters }: ActivityExecution<Parameters>,
): Promise<Record<string, unknown>> {
  const { userId } = caller
  const user = await findUser(context, db, { orgId: organization.id, userId })
  const { email = user.email ?? undefined } = parameters
  const isSelf = (parameters.userId ?? userId) === userId && email?.toLowerCase() === user.email?.toLowerCase()
  if (!isSelf) throw custodyError('REQUEST_NOT_AUTHORIZED', 'Users may begin sessions only for themselves.')
  const privateKey = p256.utils.randomSecretKey()
  try {
    const { apiKeyId } = await addSessionKey(context, db, {
      userId,
      orgId: organization.id,
      name: parameters.apiKeyName ?? `Read Write Session - ${new Date(context.now()).toISOString()}`,
      publicKey: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
      type: 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256',
      by: caller,
      expirationSeconds: parameters.expirationSeconds,
      invalidateExisting: parameters.invalidateExisting,
    })
    const targetPublicKey = Buffer.from(parameters.targetPublicKey, 'hex')
    return {
      organizationId: organization.id,
      organizationName: organization.name,
      userId,
      username: user.name,
      apiKeyId,
      credentialBundle: await credentialBundle({ targetPublicKey, privateKey }),
    }
  } finally {
    privateKey.fill(0)
  }
}
