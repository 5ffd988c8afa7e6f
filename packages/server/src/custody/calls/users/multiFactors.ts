import { z } from 'zod'
import { custodyError } from '../../custodyError.ts'
import { idSchema } from '../../custodySchemas.ts'
import { defineActivity, defineQuery } from '../../definitions.ts'
import { activateFactor, addFactor, checkInactive, deleteFactors, listFactors } from '../../factors/multiFactors.ts'
import { countFactorTry, factorCodeSchema, returnFactorTry } from '../../factors/requireFactor.ts'
import { assertOwnSubOrganization, assertReader, assertSelf } from '../../permissions.ts'

const change = { authorize: assertOwnSubOrganization, stepUp: true, quorum: false }

/**
 * `create_multi_factor`: creates a TOTP secret for the calling user (RFC 6238), without effect until
 * `activate_multi_factor`.
 *
 * @throws `CREDENTIAL_CONFLICT`.
 */
export const createMultiFactor = defineActivity({
  ...change,
  types: {
    ACTIVITY_TYPE_CREATE_MULTI_FACTOR: { intent: 'createMultiFactorIntent', result: 'createMultiFactorResult' },
  },
  parameters: z.strictObject({ userId: idSchema, multiFactorType: z.literal('totp') }),
  isResultTransient: true,
  async execute(context, { db, caller, organization: { id: orgId }, parameters: { userId } }) {
    assertSelf(caller, userId)
    return addFactor(context, db, { orgId, userId, rootOrgId: caller.rootOrgId })
  },
})

/**
 * `activate_multi_factor`: makes the calling user's sign-ins need a new factor, after a code has proven it. The result
 * contains the recovery codes.
 *
 * @throws `CREDENTIAL_CONFLICT`, `MFA_INVALID`, `NOT_FOUND`, `RATE_LIMIT_EXCEEDED`.
 */
export const activateMultiFactor = defineActivity({
  ...change,
  types: {
    ACTIVITY_TYPE_ACTIVATE_MULTI_FACTOR: { intent: 'activateMultiFactorIntent', result: 'activateMultiFactorResult' },
  },
  parameters: z.strictObject({ userId: idSchema, multiFactorId: idSchema, multiFactorCode: factorCodeSchema }),
  notice: 'factor-added',
  isResultTransient: true,
  confirmation: () => ({ action: 'add-factor', detail: 'Authenticator app' }),
  async verify(context, { caller, organization: { id: orgId }, parameters }) {
    const { userId, multiFactorId, multiFactorCode: code } = parameters
    assertSelf(caller, userId)
    const tried = { given: [parameters], proof: 'mailbox' } as const
    await countFactorTry(context, tried)
    await checkInactive(context, { orgId, userId, multiFactorId, code })
    await returnFactorTry(context.db, tried)
  },
  async execute(context, { db, caller, organization: { id: orgId }, parameters }) {
    const { userId, multiFactorId, multiFactorCode: code } = parameters
    assertSelf(caller, userId)
    return activateFactor(context, db, { orgId, userId, multiFactorId, code, at: caller.at })
  },
})

/**
 * `delete_multi_factors`: removes the calling user's factors, whose recovery codes end as well.
 *
 * @throws `NOT_FOUND`.
 */
export const deleteMultiFactors = defineActivity({
  ...change,
  types: {
    ACTIVITY_TYPE_DELETE_MULTI_FACTORS: { intent: 'deleteMultiFactorsIntent', result: 'deleteMultiFactorsResult' },
  },
  parameters: z.strictObject({ userId: idSchema, multiFactorIds: z.array(idSchema).min(1).max(1) }),
  notice: 'factor-removed',
  async confirmation(context, { db, caller, organization: { id: orgId }, parameters: { multiFactorIds } }) {
    const active = await listFactors(context, db, { orgId, userId: caller.userId })
    if (!active.some(({ multiFactorId }) => multiFactorIds.includes(multiFactorId)))
      throw custodyError('NOT_FOUND', 'The user has no active second factor with this id.')
    return { action: 'remove-factor', detail: 'Authenticator app' }
  },
  async execute(context, { db, caller, organization: { id: orgId }, parameters: { userId, multiFactorIds: ids } }) {
    assertSelf(caller, userId)
    return { multiFactors: await deleteFactors(context, db, { orgId, userId, ids }) }
  },
})

/** `get_multi_factors`: returns the active factors of a user. */
export const getMultiFactors = defineQuery({
  parameters: z.strictObject({ userId: idSchema }),
  authorize: assertReader,
  async run(context, { organization: { id: orgId }, parameters: { userId } }) {
    return { multiFactors: await listFactors(context, context.db, { orgId, userId }) }
  },
})
