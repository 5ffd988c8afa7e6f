import type { Db } from '../../platform/database/openStore.ts'
import { signRawPayload, signRawPayloads } from '../calls/signing/signRawPayload.ts'
import { signTransaction } from '../calls/signing/signTransaction.ts'
import type { Caller } from '../credentials/findCaller.ts'
import { custodyError } from '../custodyError.ts'
import { moveInMs } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { mayMoveIn } from '../organizations/trustedProjects.ts'
import { assertStepUp } from '../stepUp.ts'

const signing = [signRawPayload, signRawPayloads, signTransaction].flatMap(({ types }) => Object.keys(types))

/**
 * Returns a creation time before that of all wallets of an account. The first address is shown to the user and receives
 * payments. It may change only if the project allows it, the caller has just signed in, and the first wallet cannot
 * have been used yet.
 *
 * @throws `REQUEST_NOT_AUTHORIZED`, `REQUEST_INVALID`.
 */
export async function findFirstPosition(context: CustodyContext, db: Db, caller: Caller): Promise<Date> {
  if (!mayMoveIn(context, caller.rootOrgId))
    throw custodyError('REQUEST_NOT_AUTHORIZED', "No wallet moves in here: the project's `movesIn` is not allowed.")
  assertStepUp(context, caller)
  // Without the lock two concurrent requests would both pass.
  const { created_at } = await db
    .selectFrom('organizations')
    .select('created_at')
    .where('id', '=', caller.orgId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const wallets = await db.selectFrom('wallets').select('imported').where('org_id', '=', caller.orgId).execute()
  const signed = await db
    .selectFrom('activities')
    .select('id')
    .where('org_id', '=', caller.orgId)
    .where('type', 'in', signing)
    .limit(1)
    .executeTakeFirst()
  const isOld = caller.at.getTime() - created_at.getTime() > moveInMs
  if (isOld || signed || wallets.some(({ imported }) => imported))
    throw custodyError(
      'REQUEST_INVALID',
      'This account is in use: a wallet moves in only in the first hour of an account that has signed and imported nothing.',
    )
  const first = await db
    .selectFrom('wallet_accounts')
    .select((all) => all.fn.min('created_at').as('created_at'))
    .where('org_id', '=', caller.orgId)
    .executeTakeFirst()
  return new Date((first?.created_at ?? created_at).getTime() - 1)
}
