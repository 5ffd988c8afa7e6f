import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine, mac } from '../macs.ts'
import type { Caller } from './findCaller.ts'

/**
 * Stores the counter of a passkey's assertion (WebAuthn L3 § 7.2 step 22). The counter must have grown unless the old
 * or the new value is zero, as with synced passkeys, which do not count (custody protocol § 1.2). Locks the passkey
 * until the transaction ends, so that concurrent requests are checked in sequence.
 *
 * @throws `SIGNATURE_INVALID`.
 */
export async function advanceCounter(
  context: Pick<CustodyContext, 'macKey'>,
  db: Db,
  { credentialId, signCount }: Pick<Caller, 'credentialId' | 'signCount'>,
): Promise<void> {
  if (signCount === 0) return
  if (!db.isTransaction)
    return inTransaction(db, (inner) => advanceCounter(context, inner, { credentialId, signCount }))
  const row = await db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', credentialId)
    .forUpdate()
    .executeTakeFirst()
  if (!row || !isGenuine(context.macKey, 'credentials', row) || Number(row.counter) >= signCount)
    throw custodyError(
      'SIGNATURE_INVALID',
      "The passkey's counter did not grow: this assertion was used before, or there is a copy of the passkey.",
    )
  const counter = String(signCount)
  await db
    .updateTable('credentials')
    .set({ counter, mac: mac(context.macKey, 'credentials', { ...row, counter }) })
    .where('id', '=', credentialId)
    .execute()
}
