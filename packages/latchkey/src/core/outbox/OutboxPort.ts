/** Fields that the outbox itself reads. Callers add their own. */
export type OutboxRecord = {
  /** Owner of the record. `list` returns the records of one owner. */
  readonly owner: string
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly changedAtMs: number
}

/** Lock that a caller holds. */
export type Turn = {
  /** Returns false once another caller has taken over the lock after its own maximum wait. */
  isHeld(): boolean
}

/**
 * Storage of operations, with locks for their senders. `indexedDbOutbox` is for browsers and is shared by all tabs of
 * an origin; `memoryOutbox` is for a single process.
 */
export type OutboxPort = {
  /** Opens the store. @throws `OUTBOX_UNAVAILABLE` if the platform has no database or no locks; nothing is stored. */
  open(): Promise<void>
  /** Lists an owner's records in no particular order. */
  list(owner: string): Promise<readonly OutboxRecord[]>
  /** Resolves once the record is stored. @throws `STORAGE_FULL`, `STORAGE_FAILED`; the record is then not stored. */
  add(record: OutboxRecord): Promise<void>
  /**
   * Reads and writes a record atomically. `change` returns the new record, undefined to leave it unchanged, or null to
   * remove it. Resolves to the stored record.
   *
   * @throws `STORAGE_FULL`, `STORAGE_FAILED`; the record then remains unchanged.
   */
  update(
    owner: string,
    id: string,
    change: (record: OutboxRecord) => OutboxRecord | null | undefined,
  ): Promise<OutboxRecord | undefined>
  /** Runs `work` while holding the lock. If another caller still holds the lock after `waitMs`, takes it over. */
  hold<result>(name: string, waitMs: number, work: (turn: Turn) => Promise<result>): Promise<result>
  /** Runs `work` if the lock is free; otherwise returns undefined. */
  holdIfFree<result>(name: string, work: () => Promise<result>): Promise<result | undefined>
  /** Subscribes to changes in this tab and other tabs. Returns an unsubscribe function. */
  onChange(listener: (owner: string) => void): () => void
}
