import type { CustodyContext } from '../deps.ts'
import { readPrivateKeys } from './readPrivateKeys.ts'
import { readQuery } from './readQuery.ts'
import { readUsers } from './readUsers.ts'
import { readWallets } from './readWallets.ts'

/** `get_organization`: all that an organization holds, for its users and those of its parent (custody protocol § 2.7). */
export async function getOrganization(context: CustodyContext, request: getOrganization.Parameters): Promise<object> {
  const { organization } = await readQuery(context, request, {})
  const { id, name, threshold } = organization
  const users = await readUsers(context, { orgId: id })
  return {
    organizationData: {
      organizationId: id,
      name,
      users,
      policies: [],
      privateKeys: await readPrivateKeys(context, id),
      invitations: [],
      tags: [],
      rootQuorum: { threshold, userIds: users.map((user) => user.userId) },
      features: [],
      wallets: await readWallets(context, id),
      smartContractInterfaceReferences: [],
    },
  }
}

export declare namespace getOrganization {
  type Parameters = { headers: Headers; body: Uint8Array }
}
