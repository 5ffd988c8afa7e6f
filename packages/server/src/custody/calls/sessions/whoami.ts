import type { WhoamiResponse } from 'latchkey-protocol'
import { z } from 'zod'
import { accountStatement } from '../../bundles/accountStatement.ts'
import { findCaller, findCallerBelow } from '../../credentials/findCaller.ts'
import { maxPageRows } from '../../custodyLimits.ts'
import { defineQuery } from '../../definitions.ts'
import { assertNotDeleting, assertNotFrozen, findOrganization } from '../../organizations/organization.ts'
import { proveEmail } from '../../organizations/userEmail.ts'
import { readAccounts } from '../../wallets/accounts.ts'

/**
 * `whoami`: returns a stamp's user, organization and first address. Searches a parent's sub-organizations first
 * (custody protocol § 2.5). The first use of an e-mailed key proves the e-mail address.
 */
export const whoami = defineQuery({
  // The signer API checks the audience; here it is only part of the stamped bytes.
  parameters: z.strictObject({ audience: z.string().max(200).optional() }),
  async authenticate(context, { stamp, organization }) {
    const below = await findCallerBelow(context, { stamp, parentId: organization.id })
    if (!below) return findCaller(context, { stamp, organization })
    const own = await findOrganization(context, below.orgId)
    assertNotFrozen(own)
    assertNotDeleting(own)
    return below
  },
  // Needs no check, because the result contains only the caller's own data.
  authorize() {},
  async run(context, { caller, stamp, isBound }) {
    await proveEmail(context, context.db, caller)
    const user = await context.db
      .selectFrom('users')
      .innerJoin('organizations', 'organizations.id', 'users.org_id')
      .select(['users.name as username', 'organizations.name as organizationName'])
      .where('users.id', '=', caller.userId)
      .where('users.org_id', '=', caller.orgId)
      .executeTakeFirstOrThrow()
    const [account] = await readAccounts(context, { orgId: caller.orgId, limit: maxPageRows })
    const { orgId, userId } = caller
    const credential = stamp?.kind === 'passkey' ? stamp.assertion.credentialId : stamp?.publicKey
    const statement =
      isBound && credential && (await accountStatement(context, context.db, { credential, orgId, userId }))
    return {
      organizationId: caller.orgId,
      organizationName: user.organizationName,
      userId: caller.userId,
      username: user.username,
      ...(account && { address: account.address }),
      ...(statement && { account: statement }),
    } satisfies WhoamiResponse
  },
})
