import type { ActivityResponse } from 'latchkey-protocol'
import { z } from 'zod'
import { presentActivities, presentActivity } from '../../activities/presentActivity.ts'
import { assertGenuineActivity, type StoredActivity } from '../../activities/storedActivity.ts'
import { custodyError } from '../../custodyError.ts'
import { searchSchema } from '../../custodySchemas.ts'
import { defineQuery, type QueryExecution } from '../../definitions.ts'
import { assertReader } from '../../permissions.ts'
import { pageSchema, selectPage } from '../page.ts'

/** `get_activity`: returns one activity of an organization (custody protocol § 2.6). */
export const getActivity = defineQuery({
  forScopedKeys: true,
  // The page that deletes the organization checks whether the deletion has completed.
  duringDeletion: true,
  parameters: z.strictObject({ activityId: z.uuid() }),
  authorize: assertReader,
  async run(context, { caller, organization, parameters, stamp }) {
    const row = await context.db
      .selectFrom('activities')
      .selectAll()
      .where('org_id', '=', organization.id)
      .where('id', '=', parameters.activityId)
      .executeTakeFirst()
    if (!row) throw custodyError('NOT_FOUND', 'No activity with this id in this organization.')
    const genuine = withoutSecrets(assertGenuineActivity(context, row), stamp)
    return {
      activity: await presentActivity(context, context.db, genuine, stamp && caller.userId),
    } satisfies ActivityResponse
  },
})

/** `list_activities`: returns the activities of an organization, newest first (custody protocol § 2.7). */
export const listActivities = defineQuery({
  parameters: z.strictObject({
    filterByStatus: z.array(searchSchema).max(20).optional(),
    filterByType: z.array(searchSchema).max(200).optional(),
    paginationOptions: pageSchema,
  }),
  authorize: assertReader,
  async run(context, { caller, organization, parameters, stamp }) {
    const { filterByStatus = [], filterByType = [], paginationOptions: page } = parameters
    let query = context.db.selectFrom('activities').selectAll().where('org_id', '=', organization.id)
    if (filterByStatus.length > 0) query = query.where('status', 'in', filterByStatus)
    if (filterByType.length > 0) query = query.where('type', 'in', filterByType)
    const rows = await selectPage(query, { table: 'activities', page, newestFirst: true })
    const genuine = rows.map((row) => withoutSecrets(assertGenuineActivity(context, row), stamp))
    return { activities: await presentActivities(context, context.db, genuine, stamp && caller.userId) }
  },
})

/** Hides secret results from a read-only session, which could otherwise read the token of the next session. */
function withoutSecrets(row: StoredActivity, stamp: QueryExecution<unknown>['stamp']): StoredActivity {
  return stamp || row.result_expires_at === null ? row : { ...row, result: {} }
}
