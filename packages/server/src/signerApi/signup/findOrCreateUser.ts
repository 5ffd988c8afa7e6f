import { activityTypes, custodyPaths } from 'latchkey/wire'
import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import { findUserByEmail } from '../../store/users.ts'
import type { CustodyClient } from '../custody-client/createCustodyClient.ts'
import { newWallet } from './wallet.ts'

export declare namespace findOrCreateUser {
  type Deps = { db: Db; custody: CustodyClient }
  type Parameters = {
    /** Parent of every user's sub-organization. */
    parentOrgId: string
    email: string
    requestId: string
  }
  type ReturnType = { userId: string; orgId: string; email: string }
}

/**
 * The user of an e-mail; a new one gets a sub-organization with one wallet. Two callers at once get the same user. Custody
 * is asked first, for it alone knows whether whoever has the address has proven it.
 */
export async function findOrCreateUser(
  { db, custody }: findOrCreateUser.Deps,
  { parentOrgId, email, requestId }: findOrCreateUser.Parameters,
): Promise<findOrCreateUser.ReturnType> {
  const written = custody.write(activityTypes.createSubOrganization, parentOrgId, {
    subOrganizationName: email,
    rootUsers: [{ userName: email, userEmail: email, apiKeys: [], authenticators: [], oauthProviders: [] }],
    rootQuorumThreshold: 1,
    wallet: newWallet,
  })
  let refusal: unknown
  try {
    await custody.submit(custodyPaths.createSubOrganization, written, requestId)
  } catch (error) {
    // It has its owner, or a sign-up of it waits for its mail.
    if (!(error instanceof ServerError && error.code === 'INVALID_EMAIL')) throw error
    refusal = error
  }
  const user = await findUserByEmail(db, { parentOrgId, email })
  if (user) return user
  throw refusal ?? new ServerError('The new user cannot be found. Try again.', { code: 'INTERNAL', status: 500 })
}
