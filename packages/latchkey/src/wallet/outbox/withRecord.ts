import { toHex } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { OutboxPort, Turn } from '../../core/outbox/OutboxPort.ts'
import { requireOnline } from '../../core/requireOnline.ts'
import type { ActionContext } from '../client/actions/context.ts'
import type { UserOperationInput, UserOperationRequest } from '../userOperation/types.ts'
import { outboxChunk } from './outboxChunk.ts'
import {
  changeRecord,
  getOwner,
  hashRequest,
  isEnded,
  isOperationRecord,
  isPending,
  laneLock,
  readRecords,
  recordLock,
} from './records.ts'
import { isRefusal } from './refusal.ts'
import type { OperationRecord } from './types.ts'

/** Record of an operation that this page is sending. */
export type Entry = {
  /**
   * Stores the signed operation. It must not be sent before this promise resolves.
   * @throws `TURN_LOST`, `STORAGE_FULL`, `STORAGE_FAILED`.
   */
  signed(request: UserOperationRequest): Promise<void>
  /** Records that a bundler has accepted the operation. */
  sent(): void
}

export declare namespace withRecord {
  type Wish = {
    /** Encoded calls. An app's own input may contain values that cannot be stored. */
    uo: UserOperationInput
    nonceKey: bigint
    /** Whether the operation replaces a pending operation. A replacement does not wait for the pending operation. */
    isReplacement?: boolean | undefined
  }
}

/** Longest wait for the lock of a nonce key. Exceeds the time that a user needs for a passkey prompt. */
const turnWaitMs = 120_000
/** Maximum number of finished operations stored per account. */
const maxEnded = 50

/**
 * Sends an operation and stores its record before the first request. Across all tabs, sends one operation at a time per
 * nonce key. Without an outbox or browser support, sends without a record.
 *
 * @throws `NETWORK_UNREACHABLE` offline, `STORAGE_FULL`, `STORAGE_FAILED`: nothing was requested or signed.
 */
export async function withRecord<result>(
  context: ActionContext,
  wish: withRecord.Wish,
  work: (entry: Entry | undefined) => Promise<result>,
): Promise<result> {
  // Otherwise, the operation would wait for its predecessor and be sent unexpectedly once the browser is online again.
  requireOnline()
  const store = await openStore(context)
  if (!store) return work(undefined)
  const record = createRecord(context, wish)
  return store.hold(recordLock(record.id), turnWaitMs, async () => {
    await store.add(record)
    try {
      return await store.hold(laneLock(context, wish.nonceKey), turnWaitMs, async (turn) => {
        const records = await readRecords(store, context)
        removeOldest(store, records)
        if (!wish.isReplacement && hasPredecessor(records, record)) {
          const { passPredecessor } = await outboxChunk.load()
          await passPredecessor(context, store, records, record)
        }
        return await work(createEntry(context, store, record, turn))
      })
    } catch (error) {
      await recordFailure(store, record, error)
      throw error
    }
  })
}

function hasPredecessor(records: readonly OperationRecord[], { id, nonceKey }: OperationRecord): boolean {
  return records.some((each) => each.id !== id && each.nonceKey === nonceKey && isPending(each))
}

const reported = new WeakSet<OutboxPort>()

/** Opens the outbox. Returns undefined if there is none, or the browser does not support it, which is reported once. */
async function openStore({ outbox }: ActionContext): Promise<OutboxPort | undefined> {
  if (!outbox) return undefined
  const { store, onUnavailable = console.warn } = outbox
  try {
    await store.open()
    return store
  } catch (error) {
    if (!(error instanceof BaseError) || error.code !== 'OUTBOX_UNAVAILABLE') throw error
    if (!reported.has(store)) {
      reported.add(store)
      onUnavailable(error)
    }
    return undefined
  }
}

function createRecord(context: ActionContext, { uo, nonceKey }: withRecord.Wish): OperationRecord {
  const { account, client } = context
  const now = Date.now()
  return {
    version: 1,
    owner: getOwner(context),
    id: toHex(crypto.getRandomValues(new Uint8Array(16))).slice(2),
    state: 'preparing',
    chainId: client.chain.id,
    entryPoint: account.entryPoint.address,
    account: account.address,
    uo,
    nonceKey,
    createdAtMs: now,
    changedAtMs: now,
  }
}

function createEntry(context: ActionContext, store: OutboxPort, record: OperationRecord, turn: Turn): Entry {
  return {
    async signed(request) {
      if (!turn.isHeld()) throw turnLost()
      const hash = hashRequest(context, request)
      const kept = await changeRecord(store, record, { state: 'signed', request, hash })
      if (kept?.state !== 'signed') throw recordRemoved()
    },
    // If this write fails, the record stays `signed`, and the operation is resent once after a reload.
    sent: () => void changeRecord(store, record, { state: 'sent' }).catch(() => {}),
  }
}

/**
 * Records a failed send. A signed operation may have been forwarded, so only a bundler's refusal changes its record.
 */
async function recordFailure(store: OutboxPort, { owner, id }: OperationRecord, error: unknown): Promise<void> {
  const reason = error instanceof BaseError ? error.shortMessage : 'It could not be prepared or signed.'
  const end = (known: OperationRecord): Partial<OperationRecord> => {
    if (known.state === 'preparing') return { state: 'notSent', reason }
    return known.state === 'signed' && isRefusal(error) ? { state: 'refused', reason } : {}
  }
  const write = store.update(owner, id, (known) =>
    isOperationRecord(known) && !isEnded(known) ? { ...known, ...end(known), changedAtMs: Date.now() } : undefined,
  )
  // A failed write is ignored, because the caller needs the error of sending.
  await write.catch(() => {})
}

function removeOldest(store: OutboxPort, records: readonly OperationRecord[]): void {
  const ended = records.filter(isEnded)
  for (const { owner, id } of ended.slice(0, Math.max(0, ended.length - maxEnded)))
    store.update(owner, id, () => null).catch(() => {})
}

function turnLost(): BaseError {
  return new BaseError('Signing took too long: another operation of this account went first. Nothing was sent.', {
    code: 'TURN_LOST',
    metaMessages: ['Send it again: its nonce may be used by now.'],
  })
}

function recordRemoved(): BaseError {
  return new BaseError("The operation was removed from this browser's storage. Nothing was sent.", {
    code: 'STORAGE_FAILED',
    metaMessages: ['Send it again.'],
  })
}
