import { z } from 'zod'
import { custodyError } from '../../custodyError.ts'
import { defineActivity } from '../../definitions.ts'
import { cancelDeletion as cancel, planDeletion } from '../../organizations/deletion.ts'
import { assertOwnSubOrganization } from '../../permissions.ts'

/**
 * `delete_sub_organization`: deletes an organization with all its keys at its users' request (custody protocol § 2.7).
 * The deletion takes effect immediately; the keys are destroyed after a grace period. Deleting keys that were never
 * exported requires explicit permission in the request.
 */
export const deleteSubOrganization = defineActivity({
  types: {
    ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION: {
      intent: 'deleteSubOrganizationIntent',
      result: 'deleteSubOrganizationResult',
    },
  },
  parameters: z.strictObject({ deleteWithoutExport: z.boolean().optional() }),
  authorize: assertOwnSubOrganization,
  stepUp: true,
  confirmation: () => ({ action: 'delete-account' }),
  async execute(context, { db, activityId, organization, parameters }) {
    const orgId = organization.id
    for (const [table, name] of [
      ['wallets', 'wallet'],
      ['private_keys', 'private key'],
    ] as const) {
      const rows = await db
        .selectFrom(table)
        .select(['id', 'exported_at'])
        .where('org_id', '=', orgId)
        .forUpdate()
        .execute()
      const kept = rows.find((row) => row.exported_at === null)
      if (kept && !parameters.deleteWithoutExport)
        throw custodyError(
          'REQUEST_INVALID',
          `The ${name} ${kept.id} was never exported and would be lost. Export it first, or set deleteWithoutExport.`,
        )
    }
    await planDeletion(context, db, { orgId, activityId })
    return { subOrganizationUuid: orgId }
  },
})

/** `cancel_deletion`: a user who has just signed in cancels the deletion of their organization. */
export const cancelDeletion = defineActivity({
  types: { ACTIVITY_TYPE_CANCEL_DELETION: { intent: 'cancelDeletionIntent', result: 'cancelDeletionResult' } },
  parameters: z.strictObject({}),
  authorize: assertOwnSubOrganization,
  stepUp: true,
  quorum: false,
  duringDeletion: true,
  async execute(context, { db, organization }) {
    await cancel(context, db, { orgId: organization.id })
    return {}
  },
})
