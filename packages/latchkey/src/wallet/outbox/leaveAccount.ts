import type { OutboxPort } from '../../core/outbox/OutboxPort.ts'
import { isEnded, isOperationRecord, recordLock } from './records.ts'

/**
 * Removes an account's ended and unsigned operations after sign-out. Signed operations remain, and are resumed only
 * when the account is used again.
 */
export async function leaveAccount(store: OutboxPort, owner: string): Promise<void> {
  await store.open()
  for (const record of await store.list(owner)) {
    // An operation that is being signed is ended by the call that sends it.
    await store.holdIfFree(recordLock(record.id), () =>
      store.update(owner, record.id, (known) =>
        !isOperationRecord(known) || isEnded(known) || known.state === 'preparing' ? null : undefined,
      ),
    )
  }
}
