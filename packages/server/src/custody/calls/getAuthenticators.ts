import type { CustodyContext } from '../deps.ts'
import { idSchema } from '../schemas.ts'
import { readQuery } from './readQuery.ts'
import { readUser, type User } from './readUsers.ts'

/** `get_authenticators`: the passkeys of one user, for users of the organization and of its parent (§ 2.7). */
export async function getAuthenticators(
  context: CustodyContext,
  request: getAuthenticators.Parameters,
): Promise<Pick<User, 'authenticators'>> {
  const { organization, parameters } = await readQuery(context, request, { userId: idSchema })
  const { authenticators } = await readUser(context, { orgId: organization.id, userId: parameters.userId })
  return { authenticators }
}

export declare namespace getAuthenticators {
  type Parameters = { headers: Headers; body: Uint8Array }
}
