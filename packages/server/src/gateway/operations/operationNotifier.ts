import { listenToChannel } from '../../platform/database/listenToChannel.ts'
import type { Logger } from '../../platform/observability/logger.ts'

const channel = 'latchkey_operations'

/** Notifies subscribers of changes to one operation, or to any operation of a project. */
export type OperationNotifier = {
  /**
   * Calls `wake` at each change until the returned function is called. Without `userOpHash`, reports changes of any
   * operation.
   */
  subscribe(topic: { projectId: string; userOpHash?: string | undefined }, wake: () => void): () => void
  /** Wakes all subscribers, since changes may have been missed. */
  wakeAll(): void
  close(): Promise<void>
}

export declare namespace listenForOperations {
  type Parameters = { databaseUrl: string; logger: Logger }
}

/**
 * Listens to the notifications of `append_operation_event` once there is a subscriber. A notification carries only ids;
 * subscribers read the database.
 */
export function listenForOperations({ databaseUrl, logger }: listenForOperations.Parameters): OperationNotifier {
  const wakers = new Map<string, Set<() => void>>()
  let listening: listenToChannel.ReturnType | undefined

  function wake(topic: string): void {
    for (const waker of wakers.get(topic) ?? []) waker()
  }

  function wakeAll(): void {
    for (const some of wakers.values()) for (const waker of some) waker()
  }

  function listen(): listenToChannel.ReturnType {
    return listenToChannel({
      databaseUrl,
      channel,
      purpose: 'operations',
      onConnect: wakeAll,
      onNotification(payload) {
        const [projectId, userOpHash] = JSON.parse(payload) as [string, string]
        wake(toTopic({ projectId }))
        wake(toTopic({ projectId, userOpHash }))
      },
      onBreak: () =>
        logger.warn({}, 'Operation notifications are interrupted: the database connection broke and is being reopened'),
    })
  }

  return {
    subscribe(subject, waker) {
      listening ??= listen()
      const topic = toTopic(subject)
      const some = wakers.get(topic) ?? new Set()
      wakers.set(topic, some.add(waker))
      return () => {
        some.delete(waker)
        if (some.size === 0 && wakers.get(topic) === some) wakers.delete(topic)
      }
    },
    wakeAll,
    async close() {
      wakeAll()
      await listening?.close()
    },
  }
}

const toTopic = ({ projectId, userOpHash = '' }: { projectId: string; userOpHash?: string | undefined }) =>
  `${userOpHash} ${projectId}`
