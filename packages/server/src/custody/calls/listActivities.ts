import type { Activity } from 'latchkey/wire'
import { z } from 'zod'
import { presentActivities } from '../activities/presentActivity.ts'
import { assertGenuineActivity } from '../activities/storedActivity.ts'
import type { CustodyContext } from '../deps.ts'
import { searchSchema } from '../schemas.ts'
import { pageSchema } from './pageSchema.ts'
import { readQuery } from './readQuery.ts'
import { selectPage } from './selectPage.ts'

const members = {
  filterByStatus: z.array(searchSchema).max(20).optional(),
  filterByType: z.array(searchSchema).max(200).optional(),
  paginationOptions: pageSchema,
}

/** `list_activities`: what was done in an organization, newest first, for its users and those of its parent (§ 2.7). */
export async function listActivities(
  context: CustodyContext,
  request: listActivities.Parameters,
): Promise<{ activities: Activity[] }> {
  const { caller, organization, parameters } = await readQuery(context, request, members)
  const { filterByStatus = [], filterByType = [], paginationOptions: page } = parameters
  let query = context.db.selectFrom('activities').selectAll().where('org_id', '=', organization.id)
  if (filterByStatus.length > 0) query = query.where('status', 'in', filterByStatus)
  if (filterByType.length > 0) query = query.where('type', 'in', filterByType)
  const rows = await selectPage(query, { table: 'activities', page, newestFirst: true })
  const genuine = rows.map((row) => assertGenuineActivity(context, row))
  return { activities: await presentActivities(context, context.db, genuine, caller.userId) }
}

export declare namespace listActivities {
  type Parameters = { headers: Headers; body: Uint8Array }
}
