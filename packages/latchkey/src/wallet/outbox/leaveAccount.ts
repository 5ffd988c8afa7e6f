import type { OutboxPort } from '../../core/outbox/OutboxPort.ts'
import { isEnded, isOperationRecord, recordLock } from './records.ts'

/**
 * Removes an account's finished and unsigned operations after a sign-out. Keeps signed operations, which are resumed
 * when the account is used again.
 */
export async function leaveAccount(store: OutboxPort, owner: string): Promise<void> {
  await store.open()
  for (const record of await store.list(owner)) {
    // If the lock is taken, another call is signing the operation and will finish its record.
    await store.holdIfFree(recordLock(record.id), () =>
      store.update(owner, record.id, (known) =>
        !isOperationRecord(known) || isEnded(known) || known.state === 'preparing' ? null : undefined,
      ),
    )
  }
}
