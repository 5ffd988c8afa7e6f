import type { WhoamiResponse } from 'latchkey/wire'
import { z } from 'zod'
import { parseJson, validate } from '../../http/requestBody.ts'
import { advanceCounter } from '../credentials/advanceCounter.ts'
import { findCaller, findCallerBelow } from '../credentials/findCaller.ts'
import type { CustodyContext } from '../deps.ts'
import { findOrganization } from '../organizations/findOrganization.ts'
import { proveEmail } from '../organizations/proveEmail.ts'
import { verifyStamp } from '../stamps/verifyStamp.ts'
import { readAccounts } from '../wallets/readAccounts.ts'
import { closeMail } from './codes/closeMail.ts'

const schema = z.strictObject({ organizationId: z.string() })

/**
 * `whoami`: the user and organization a stamp stands for. With the parent's id in the body, the one sub-organization
 * that holds the credential answers (custody protocol § 2.5), with the address of its first account, if it has one. The
 * first use of a key that came by mail proves the e-mail.
 */
export async function whoami(context: CustodyContext, request: whoami.Parameters): Promise<WhoamiResponse> {
  const stamp = verifyStamp(request.headers, request.body)
  const { organizationId } = validate(schema, parseJson(request.body))
  const organization = await findOrganization(context, organizationId)
  const caller =
    (await findCallerBelow(context, { stamp, parentId: organization.id })) ??
    (await findCaller(context, { stamp, organization }))
  await advanceCounter(context, context.db, caller)
  await proveEmail(context, context.db, caller)
  await closeMail(context, caller)
  const user = await context.db
    .selectFrom('users')
    .innerJoin('organizations', 'organizations.id', 'users.org_id')
    .select(['users.name as username', 'organizations.name as organizationName'])
    .where('users.id', '=', caller.userId)
    .executeTakeFirstOrThrow()
  const [account] = await readAccounts(context, caller.orgId)
  return {
    organizationId: caller.orgId,
    organizationName: user.organizationName,
    userId: caller.userId,
    username: user.username,
    ...(account && { address: account.address }),
  }
}

export declare namespace whoami {
  type Parameters = { headers: Headers; body: Uint8Array }
}
