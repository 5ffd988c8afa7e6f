import type { OutboxPort } from '../../core/outbox/OutboxPort.ts'
import { pause } from '../../core/pause.ts'
import type { ActionContext } from '../client/actions/context.ts'
import { findInclusion } from '../client/actions/waitForUserOperationTransaction.ts'
import { rpc } from '../rpc.ts'
import { findOutcome } from './findOutcome.ts'
import { changeRecord, hashRequest, isEnded, isPending, noOutbox, readRecords, recordLock } from './records.ts'
import { isKnown, isRefusal } from './refusal.ts'
import { toIncluded } from './settleRecord.ts'
import type { OperationRecord } from './types.ts'

/** Client or context of the account. Its steps are not used, because only signed operations are sent. */
type Context = Omit<ActionContext, 'stack'>

/**
 * Resumes the account's operations that are stored in this browser. Signed operations are resent byte by byte unchanged
 * until their outcome is known. Unsigned operations become `notSent` and are never signed automatically. Operations
 * that another tab is sending are skipped. `createConfig` calls this when an account is ready. Resolves when every
 * outcome is known, or after ten minutes.
 *
 * @throws `OUTBOX_UNAVAILABLE`.
 *
 * @example
 * ```ts
 * import { createOperationContext, indexedDbOutbox, resumeOperations } from 'latchkey'
 * import { account } from './config.ts'
 *
 * const context = createOperationContext({ account, apiKey: 'latchkey-dev', outbox: { store: indexedDbOutbox() } })
 * await resumeOperations(context)
 * ```
 */
export async function resumeOperations(context: Context): Promise<void> {
  const store = context.outbox?.store
  if (!store) throw noOutbox()
  await store.open()
  const open = (await readRecords(store, context)).filter((record) => !isEnded(record))
  const taken = await Promise.all(open.map((record) => takeUp(context, store, record)))
  await Promise.all(taken.map((record) => (record && isPending(record) ? follow(context, store, record) : undefined)))
}

/** Processes a record. Returns undefined if a tab is sending the operation, or if the record was removed. */
async function takeUp(
  context: Context,
  store: OutboxPort,
  { id }: OperationRecord,
): Promise<OperationRecord | undefined> {
  return store.holdIfFree(recordLock(id), async () => {
    // Reads the record again, because the previous lock holder may have changed it.
    const record = (await readRecords(store, context)).find((each) => each.id === id)
    if (!record || isEnded(record)) return record
    if (record.state === 'preparing') return changeRecord(store, record, { state: 'notSent', reason: notSigned })
    const settled = await settleByChain(context, store, record)
    if (!settled || isEnded(settled) || settled.state === 'refused') return settled
    return sendAgain(context, store, settled)
  })
}

const notSigned = 'The page was closed before it was signed.'

/** Updates the record with its outcome if the chain proves one. */
async function settleByChain(context: Context, store: OutboxPort, record: OperationRecord) {
  const outcome = await findOutcome(context, record).catch(() => undefined)
  return outcome ? changeRecord(store, record, outcome) : record
}

const action = 'Could not send the operation.'

async function sendAgain(context: Context, store: OutboxPort, record: OperationRecord) {
  const { account, client } = context
  const { request } = record
  if (!request || !isAsSigned(context, record))
    return changeRecord(store, record, { state: 'refused', reason: altered })
  try {
    const params = [request, account.entryPoint.address]
    await rpc(client, { method: 'eth_sendUserOperation', params, action })
    return await changeRecord(store, record, { state: 'sent' })
  } catch (error) {
    // A bundler that has already accepted an operation refuses a repetition.
    if (record.state === 'sent' || !isRefusal(error) || isKnown(error)) return record
    const settled = await settleByChain(context, store, record)
    if (!settled || isEnded(settled)) return settled
    return changeRecord(store, record, { state: 'refused', reason: error.shortMessage })
  }
}

const altered = 'The stored operation differs from the signed one, so it is not sent again.'

/** Checks that a stored operation belongs to this account and still has the signed hash. */
function isAsSigned(context: Context, { request, hash }: OperationRecord): boolean {
  if (request?.sender.toLowerCase() !== context.account.address.toLowerCase()) return false
  try {
    return hashRequest(context, request) === hash
  } catch {
    // The operation has fields of another EntryPoint version, or numbers out of range.
    return false
  }
}

/** Tracked records by store. Callers share the polling. */
const followed = new WeakMap<OutboxPort, Map<string, Promise<void>>>()
const maxFollowMs = 600_000

/** Polls an operation's outcome for at most ten minutes. */
export function follow(context: Context, store: OutboxPort, record: OperationRecord): Promise<void> {
  const running = followed.get(store) ?? new Map<string, Promise<void>>()
  followed.set(store, running)
  const known = running.get(record.id)
  if (known) return known
  const following = followToEnd(context, store, record).finally(() => running.delete(record.id))
  running.set(record.id, following)
  return following
}

async function followToEnd(context: Context, store: OutboxPort, record: OperationRecord): Promise<void> {
  const until = Date.now() + maxFollowMs
  for (let waitMs = 2000; Date.now() < until; waitMs = Math.min(waitMs * 2, 60_000)) {
    if (await hasEnded(context, store, record)) return
    await pause(waitMs, undefined)
  }
}

async function hasEnded(context: Context, store: OutboxPort, record: OperationRecord): Promise<boolean> {
  const { hash } = record
  if (!hash) return true
  const found = await findInclusion(context, { hash }).catch(() => undefined)
  const settled = found
    ? await changeRecord(store, record, toIncluded(found))
    : await settleByChain(context, store, record).catch(() => record)
  return !settled || isEnded(settled)
}

/** Maximum age of an acceptance. An operation accepted earlier may have been dropped, so it is resent. */
const freshMs = 60_000

/**
 * Waits for the previous operation with the same nonce key, at most as long as a wait for a block, so that the next
 * operation does not get the same nonce.
 */
export async function passPredecessor(
  context: Context,
  store: OutboxPort,
  records: readonly OperationRecord[],
  { id, nonceKey }: OperationRecord,
): Promise<void> {
  const before = records.filter((each) => each.id !== id && each.nonceKey === nonceKey && isPending(each)).at(-1)
  if (!before) return
  const isFresh = before.state === 'sent' && Date.now() - before.changedAtMs < freshMs
  const record = isFresh ? before : await takeUp(context, store, before)
  if (record && isPending(record)) await hasEnded(context, store, record)
}
