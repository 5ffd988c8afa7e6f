import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import type { Caller } from './findCaller.ts'

/**
 * Keeps the counter of a passkey's assertion (WebAuthn L3 § 7.2 step 22). It must have grown unless one of the two is
 * zero, as with passkeys that are kept in several places and do not count (custody protocol § 1.2).
 *
 * @throws ServerError `SIGNATURE_INVALID` (401)
 */
export async function advanceCounter(db: Db, { credentialId, signCount }: Caller): Promise<void> {
  if (signCount === 0) return
  const advanced = await db
    .updateTable('credentials')
    .set({ counter: signCount })
    .where('id', '=', credentialId)
    .where('counter', '<', String(signCount))
    .returning('id')
    .executeTakeFirst()
  if (!advanced)
    throw custodyError(
      'SIGNATURE_INVALID',
      "The passkey's counter did not grow: this assertion was used before, or there is a copy of the passkey.",
    )
}
