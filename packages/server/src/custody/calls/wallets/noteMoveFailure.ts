import { z } from 'zod'
import { addressSchema, idSchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import { assertOwnOrganization, assertSelf } from '../../permissions.ts'

/**
 * `note_move_failure`, a Latchkey extension: records that a wallet of another service was not moved, with the error
 * code, for `move report`.
 */
export const noteMoveFailure = defineActivity({
  types: { ACTIVITY_TYPE_NOTE_MOVE_FAILURE: { intent: 'noteMoveFailureIntent', result: 'noteMoveFailureResult' } },
  // Stores only a code, since messages of another service may contain anything.
  parameters: z.strictObject({
    userId: idSchema,
    address: addressSchema,
    reason: z.string().regex(/^[A-Z][A-Z0-9_]{2,63}$/, 'must be an error code'),
  }),
  authorize: assertOwnOrganization,
  quorum: false,
  async execute(_context, { caller, parameters }) {
    assertSelf(caller, parameters.userId)
    return {}
  },
})
