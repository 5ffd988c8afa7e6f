import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'
import { isGenuineUser } from '../organizations/findUser.ts'
import { toTimestamp } from '../toTimestamp.ts'
import { toApiKey } from './toApiKey.ts'
import { toAuthenticator } from './toAuthenticator.ts'

/** The User object of custody protocol § 2.7, with the credentials that can stamp at this moment. */
export type User = {
  userId: string
  userName: string
  userEmail?: string
  authenticators: ReturnType<typeof toAuthenticator>[]
  apiKeys: ReturnType<typeof toApiKey>[]
  userTags: string[]
  oauthProviders: never[]
  createdAt: ReturnType<typeof toTimestamp>
  updatedAt: ReturnType<typeof toTimestamp>
  mfaPolicies: never[]
}

/** The users of an organization, or the one with an id, oldest first. */
export async function readUsers(context: CustodyContext, parameters: readUsers.Parameters): Promise<User[]> {
  const { orgId, userId } = parameters
  const query = context.db.selectFrom('users').selectAll().where('org_id', '=', orgId)
  const rows = await (userId === undefined ? query : query.where('id', '=', userId))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const users = rows.filter((row) => isGenuineUser(context, row))
  const now = new Date(context.now())
  const credentials = await context.db
    .selectFrom('credentials')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const genuine = credentials.filter((row) => isGenuine(context.macKey, 'credentials', row))
  return users.map((row) => {
    const own = genuine.filter((credential) => credential.user_id === row.id)
    return {
      userId: row.id,
      userName: row.name,
      ...(row.email !== null && { userEmail: row.email }),
      authenticators: own.filter(({ kind }) => kind === 'passkey').map(toAuthenticator),
      apiKeys: own.filter(({ kind }) => kind === 'api_key').map(toApiKey),
      userTags: [],
      oauthProviders: [],
      createdAt: toTimestamp(row.created_at),
      updatedAt: toTimestamp(row.created_at),
      mfaPolicies: [],
    }
  })
}

export declare namespace readUsers {
  type Parameters = { orgId: string; userId?: string | undefined }
}

/**
 * The one of {@link readUsers} with an id.
 *
 * @throws ServerError `NOT_FOUND` (404)
 */
export async function readUser(context: CustodyContext, parameters: { orgId: string; userId: string }): Promise<User> {
  const [user] = await readUsers(context, parameters)
  if (user) return user
  throw custodyError('NOT_FOUND', 'No user with this id in this organization.')
}
