import type { ActivityResponse } from 'latchkey/wire'
import { z } from 'zod'
import { presentActivity } from '../activities/presentActivity.ts'
import { assertGenuineActivity } from '../activities/storedActivity.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { readQuery } from './readQuery.ts'

/** `get_activity`: one activity of an organization, for its users and those of its parent. */
export async function getActivity(context: CustodyContext, request: getActivity.Parameters): Promise<ActivityResponse> {
  const { caller, organization, parameters } = await readQuery(context, request, { activityId: z.uuid() })
  const row = await context.db
    .selectFrom('activities')
    .selectAll()
    .where('org_id', '=', organization.id)
    .where('id', '=', parameters.activityId)
    .executeTakeFirst()
  if (!row) throw custodyError('NOT_FOUND', 'No activity with this id in this organization.')
  const genuine = assertGenuineActivity(context, row)
  return { activity: await presentActivity(context, context.db, genuine, caller.userId) }
}

export declare namespace getActivity {
  type Parameters = { headers: Headers; body: Uint8Array }
}
