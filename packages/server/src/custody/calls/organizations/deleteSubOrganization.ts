import { z } from 'zod'
import { custodyError } from '../../custodyError.ts'
import { defineActivity } from '../../definitions.ts'
import { deleteOrganization } from '../../organizations/organization.ts'
import { assertOwnSubOrganization } from '../../permissions.ts'

/**
 * `delete_sub_organization`: its users delete it with every key it holds (custody protocol § 2.7). Keys that were never
 * exported would be lost permanently, so the request must say that it means those too.
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
  async execute(context, { db, organization, parameters }) {
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
    await db.deleteFrom('private_keys').where('org_id', '=', orgId).execute()
    await db.deleteFrom('import_targets').where('org_id', '=', orgId).execute()
    await deleteOrganization(context, db, { orgId })
    return { subOrganizationUuid: orgId }
  },
})
