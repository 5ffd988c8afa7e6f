import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { readQuery } from './readQuery.ts'
import { readUsers, type User } from './readUsers.ts'
import { idSchema } from './schemas.ts'

type Request = { headers: Headers; body: Uint8Array }

/** `get_user`: one user of an organization, for its users and those of its parent (custody protocol § 2.7). */
export async function getUser(context: CustodyContext, request: Request): Promise<{ user: User }> {
  const { organization, parameters } = await readQuery(context, request, { userId: idSchema })
  const [user] = await readUsers(context, { orgId: organization.id, userId: parameters.userId })
  if (user) return { user }
  throw unknownUser()
}

/** `get_authenticators`: the passkeys of one user (custody protocol § 2.7). */
export async function getAuthenticators(
  context: CustodyContext,
  request: Request,
): Promise<Pick<User, 'authenticators'>> {
  const { user } = await getUser(context, request)
  return { authenticators: user.authenticators }
}

/** `get_api_keys`: the API keys and sessions of one user, or of all users of an organization (custody protocol § 2.7). */
export async function getApiKeys(context: CustodyContext, request: Request): Promise<Pick<User, 'apiKeys'>> {
  const { organization, parameters } = await readQuery(context, request, { userId: idSchema.optional() })
  const users = await readUsers(context, { orgId: organization.id, userId: parameters.userId })
  if (users.length === 0) throw unknownUser()
  return { apiKeys: users.flatMap((user) => user.apiKeys) }
}

function unknownUser() {
  return custodyError('NOT_FOUND', 'No user with this id in this organization.')
}
