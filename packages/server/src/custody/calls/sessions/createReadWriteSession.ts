import { z } from 'zod'
import { addSealedSession } from '../../credentials/addSessionKey.ts'
import { custodyError } from '../../custodyError.ts'
import { emailSchema, idSchema, nameSchema, secondsSchema, uncompressedKeySchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import { findUser } from '../../organizations/user.ts'
import { assertSigningIn } from '../../permissions.ts'

/**
 * `create_read_write_session`, versions 1 and 2: creates a session key of the caller, sealed to a frame's key (custody
 * protocol §§ 2.7, 4.3).
 */
export const createReadWriteSession = defineActivity({
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
  parameters: z.strictObject({
    targetPublicKey: uncompressedKeySchema,
    /** Version 1 identifies the user by e-mail; version 2 by id, or not at all. */
    email: emailSchema.optional(),
    userId: idSchema.optional(),
    apiKeyName: nameSchema.optional(),
    expirationSeconds: secondsSchema.optional(),
    invalidateExisting: z.boolean().optional(),
  }),
  authorize: assertSigningIn,
  quorum: false,
  confirmation: (_context, { parameters: { targetPublicKey: hex } }) => ({
    action: 'start-session',
    publicKeys: [{ hex }],
    isSignIn: true,
  }),
  isResultTransient: true,
  async execute(context, { db, caller, organization, parameters }) {
    const { userId } = caller
    const user = await findUser(context, db, { orgId: organization.id, userId })
    const { email = user.email ?? undefined } = parameters
    const isSelf = (parameters.userId ?? userId) === userId && email?.toLowerCase() === user.email?.toLowerCase()
    if (!isSelf) throw custodyError('REQUEST_NOT_AUTHORIZED', 'Users may begin sessions only for themselves.')
    const { apiKeyId, credentialBundle } = await addSealedSession(context, db, {
      userId,
      orgId: organization.id,
      name: parameters.apiKeyName ?? `Read Write Session - ${new Date(context.now()).toISOString()}`,
      targetPublicKey: parameters.targetPublicKey,
      type: 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256',
      by: caller,
      expirationSeconds: parameters.expirationSeconds,
      invalidateExisting: parameters.invalidateExisting,
    })
    return {
      organizationId: organization.id,
      organizationName: organization.name,
      userId,
      username: user.name,
      apiKeyId,
      credentialBundle,
    }
  },
})
