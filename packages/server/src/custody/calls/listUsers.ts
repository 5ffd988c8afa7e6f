import type { CustodyContext } from '../deps.ts'
import { readQuery } from './readQuery.ts'
import { readUsers, type User } from './readUsers.ts'

/** `list_users`: the users of an organization with their credentials, for them and those of its parent (§ 2.7). */
export async function listUsers(context: CustodyContext, request: listUsers.Parameters): Promise<{ users: User[] }> {
  const { organization } = await readQuery(context, request, {})
  return { users: await readUsers(context, { orgId: organization.id }) }
}

export declare namespace listUsers {
  type Parameters = { headers: Headers; body: Uint8Array }
}
