import type { CustodyContext } from '../deps.ts'
import { idSchema } from '../schemas.ts'
import { readQuery } from './readQuery.ts'
import { readUser, type User } from './readUsers.ts'

/** `get_user`: one user of an organization, for its users and those of its parent (custody protocol § 2.7). */
export async function getUser(context: CustodyContext, request: getUser.Parameters): Promise<{ user: User }> {
  const { organization, parameters } = await readQuery(context, request, { userId: idSchema })
  return { user: await readUser(context, { orgId: organization.id, userId: parameters.userId }) }
}

export declare namespace getUser {
  type Parameters = { headers: Headers; body: Uint8Array }
}
