import type { CustodyContext } from '../deps.ts'
import { idSchema } from '../schemas.ts'
import { readQuery } from './readQuery.ts'
import { readUser, readUsers, type User } from './readUsers.ts'

/**
 * `get_api_keys`: the API keys and sessions of one user, or of all users of an organization, for them and those of its
 * parent (custody protocol § 2.7).
 */
export async function getApiKeys(
  context: CustodyContext,
  request: getApiKeys.Parameters,
): Promise<Pick<User, 'apiKeys'>> {
  const { organization, parameters } = await readQuery(context, request, { userId: idSchema.optional() })
  const { userId } = parameters
  const orgId = organization.id
  const users =
    userId === undefined ? await readUsers(context, { orgId }) : [await readUser(context, { orgId, userId })]
  return { apiKeys: users.flatMap((user) => user.apiKeys) }
}

export declare namespace getApiKeys {
  type Parameters = { headers: Headers; body: Uint8Array }
}
