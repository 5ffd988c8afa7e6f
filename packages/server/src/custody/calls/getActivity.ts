import type { ActivityResponse } from 'latchkey/wire'
import { z } from 'zod'
import { parseJson } from '../../http/parseJson.ts'
import { validate } from '../../http/validate.ts'
import { toActivity } from '../activities/toActivity.ts'
import { findCaller } from '../credentials/findCaller.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { findOrganization } from '../organizations/findOrganization.ts'
import { verifyStamp } from '../stamps/verifyStamp.ts'

const schema = z.strictObject({ organizationId: z.string(), activityId: z.uuid() })

/** `get_activity`: one activity of an organization, for its users and those of its parent. */
export async function getActivity(context: CustodyContext, request: getActivity.Parameters): Promise<ActivityResponse> {
  const { publicKey } = verifyStamp(request.headers, request.body)
  const { organizationId, activityId } = validate(schema, parseJson(request.body))
  const organization = await findOrganization(context.db, organizationId)
  await findCaller(context, { publicKey, organization })
  const row = await context.db
    .selectFrom('activities')
    .selectAll()
    .where('org_id', '=', organization.id)
    .where('id', '=', activityId)
    .executeTakeFirst()
  if (!row) throw custodyError('NOT_FOUND', 'No activity with this id in this organization.')
  return { activity: toActivity(row) }
}

export declare namespace getActivity {
  type Parameters = { headers: Headers; body: Uint8Array }
}
