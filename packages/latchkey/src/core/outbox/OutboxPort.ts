/** Fields of a record that the store itself uses. Callers add their own. */
export type OutboxRecord = {
  /** Owner of the record: records are listed for their owner only. */
  readonly owner: string
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly changedAtMs: number
}

/** Lock granted to a caller. */
export type Turn = {
  /** Returns false once another caller has taken over the lock because its maximum wait elapsed. */
  isHeld(): boolean
}

/**
 * Storage of operations, with locks for their senders. `indexedDbOutbox` is for browsers and is shared by all tabs of
 * an origin; `memoryOutbox` is for a single process.
 */
export type OutboxPort = {
  /** Opens the store. @throws `OUTBOX_UNAVAILABLE` without a store or locks, before anything is stored. */
  open(): Promise<void>
  /** Lists an owner's records, in no order. */
  list(owner: string): Promise<readonly OutboxRecord[]>
  /** Resolves once the record is stored. @throws `STORAGE_FULL`, `STORAGE_FAILED`; in this case nothing is stored. */
  add(record: OutboxRecord): Promise<void>
  /**
   * Reads and writes atomically: `change` returns the new record, undefined to leave it unchanged, or null to remove
   * it. Resolves to the stored record.
   *
   * @throws `STORAGE_FULL`, `STORAGE_FAILED`; in this case nothing changes.
   */
  update(
    owner: string,
    id: string,
    change: (record: OutboxRecord) => OutboxRecord | null | undefined,
  ): Promise<OutboxRecord | undefined>
  /** Runs `work` while holding the lock. If it is not free within `waitMs`, takes it over from its holder. */
  hold<result>(name: string, waitMs: number, work: (turn: Turn) => Promise<result>): Promise<result>
  /** Runs `work` if the lock is free; otherwise returns undefined. */
  holdIfFree<result>(name: string, work: () => Promise<result>): Promise<result | undefined>
  /** Subscribes to changes, in this tab or another. Returns an unsubscribe function. */
  onChange(listener: (owner: string) => void): () => void
}
