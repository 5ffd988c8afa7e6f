import type { OutboxPort } from '../../core/outbox/OutboxPort.ts'
import { isEnded, isOperationRecord, recordLock } from './records.ts'

/**
 * After the person has signed out: removes what has ended and what was never signed of an account. What is signed stays, to
 * be taken up when that account is used again, and for no other.
 */
export async function leaveAccount(store: OutboxPort, owner: string): Promise<void> {
  await store.open()
  for (const record of await store.list(owner)) {
    // One that is being signed belongs to its send, which ends it.
    await store.holdIfFree(recordLock(record.id), () =>
      store.update(owner, record.id, (known) =>
        !isOperationRecord(known) || isEnded(known) || known.state === 'preparing' ? null : undefined,
      ),
    )
  }
}
