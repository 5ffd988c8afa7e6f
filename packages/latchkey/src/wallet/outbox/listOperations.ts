import { BaseError } from '../../core/errors/BaseError.ts'
import type { OutboxPort } from '../../core/outbox/OutboxPort.ts'
import type { ActionContext } from '../client/actions/context.ts'
import { outboxChunk } from './outboxChunk.ts'
import { getOwner, isOperationRecord, isPending, noOutbox, readRecords } from './records.ts'
import type { OperationRecord, OperationState, WatchOperationParameters, WatchOperationsParameters } from './types.ts'

type Context = Omit<ActionContext, 'stack'>

/**
 * Lists this browser's operation records for the client's account, newest first. Includes operations that are not sent
 * yet and operations from before a reload, but none of other accounts.
 *
 * @throws `OUTBOX_UNAVAILABLE` if operations are not stored.
 *
 * @example
 * ```ts
 * import { createOperationContext, indexedDbOutbox, listOperations } from 'latchkey'
 * import { account } from './config.ts'
 *
 * const context = createOperationContext({ account, apiKey: 'latchkey-dev', outbox: { store: indexedDbOutbox() } })
 * for (const { state, hash, reason } of await listOperations(context)) console.log(state, hash, reason)
 * ```
 */
export async function listOperations(context: Context): Promise<readonly OperationRecord[]> {
  const store = await openStore(context)
  return (await readRecords(store, context)).reverse()
}

export declare namespace watchOperations {
  type Parameters = WatchOperationsParameters
}

/**
 * Calls `onChange` with the account's operations, immediately and after each change. Tracks pending operations until
 * their outcome is known. Returns an unsubscribe function.
 *
 * @throws Nothing; `onError` gets `CHUNK_FAILED`, `STORAGE_FAILED`, and the errors of `listOperations`.
 *
 * @example
 * ```ts
 * import { createOperationContext, indexedDbOutbox, watchOperations } from 'latchkey'
 * import { account } from './config.ts'
 *
 * const context = createOperationContext({ account, apiKey: 'latchkey-dev', outbox: { store: indexedDbOutbox() } })
 * const unwatch = watchOperations(context, { onChange: (operations) => console.log(operations.length) })
 * unwatch()
 * ```
 */
export function watchOperations(context: Context, parameters: watchOperations.Parameters): () => void {
  const { onChange, onError = () => {} } = parameters
  let isOver = false
  const read = async () => {
    try {
      const operations = await listOperations(context)
      if (isOver) return
      onChange(operations)
      // Prefetches the chunk, which will track the next operation.
      outboxChunk.prefetch()
      const store = context.outbox?.store
      const pending = operations.filter(isPending)
      if (!store || pending.length === 0) return
      const { follow } = await outboxChunk.load()
      for (const each of pending) follow(context, store, each).catch(() => {})
    } catch (error) {
      if (!isOver) onError(error)
    }
  }
  const owner = getOwner(context)
  const stop = context.outbox?.store.onChange((changed) => void (changed === owner && read()))
  read()
  return () => {
    isOver = true
    stop?.()
  }
}

export declare namespace watchOperation {
  type Parameters = WatchOperationParameters
}

/**
 * Watches one operation, like `watchOperations`.
 *
 * @throws Nothing; `onError` gets the errors of `watchOperations`.
 *
 * @example
 * ```ts
 * import { createOperationContext, indexedDbOutbox, watchOperation } from 'latchkey'
 * import { account } from './config.ts'
 *
 * const context = createOperationContext({ account, apiKey: 'latchkey-dev', outbox: { store: indexedDbOutbox() } })
 * const unwatch = watchOperation(context, { id: 'f00d', onChange: (operation) => console.log(operation?.state) })
 * unwatch()
 * ```
 */
export function watchOperation(context: Context, parameters: watchOperation.Parameters): () => void {
  const { id, onChange, onError } = parameters
  let last: string | undefined
  return watchOperations(context, {
    onError,
    onChange(operations) {
      const found = operations.find((each) => each.id === id)
      const now = found ? `${found.state} ${found.changedAtMs}` : 'none'
      if (now === last) return
      last = now
      onChange(found)
    },
  })
}

const dismissible: readonly OperationState[] = ['included', 'notSent', 'failed', 'refused']

/**
 * Removes an operation's record. Refuses to remove a pending operation, which may still be included and is tracked
 * until its outcome is known.
 *
 * @throws `STATE_CONFLICT` if the operation is pending, `OUTBOX_UNAVAILABLE`.
 *
 * @example
 * ```ts
 * import { createOperationContext, dismissOperation, indexedDbOutbox } from 'latchkey'
 * import { account } from './config.ts'
 *
 * const context = createOperationContext({ account, apiKey: 'latchkey-dev', outbox: { store: indexedDbOutbox() } })
 * await dismissOperation(context, { id: 'f00d' })
 * ```
 */
export async function dismissOperation(context: Context, { id }: { id: string }): Promise<void> {
  const store = await openStore(context)
  const kept = await store.update(getOwner(context), id, (known) =>
    !isOperationRecord(known) || dismissible.includes(known.state) ? null : undefined,
  )
  if (!kept) return
  throw new BaseError('This operation is still pending. Dismiss it once it has finished.', {
    code: 'STATE_CONFLICT',
    metaMessages: ['To end it sooner, replace it: `dropAndReplaceUserOperation`.'],
  })
}

async function openStore({ outbox }: Context): Promise<OutboxPort> {
  if (!outbox) throw noOutbox()
  await outbox.store.open()
  return outbox.store
}
