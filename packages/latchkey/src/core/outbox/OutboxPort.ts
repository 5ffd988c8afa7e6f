/** What a store of operations needs to know of a record; the rest is its owner's. */
export type OutboxRecord = {
  /** Whose it is: nothing lists the records of another owner. */
  readonly owner: string
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly changedAtMs: number
}

/** A lock that is held. */
export type Turn = {
  /** False once another has taken the lock, because it waited for longer than the bound. */
  isHeld(): boolean
}

/**
 * Where operations are kept, and where those who send them take turns. `indexedDbOutbox` is the browser's, shared by all
 * tabs of an origin; `memoryOutbox` is a process's.
 */
export type OutboxPort = {
  /** @throws `OUTBOX_UNAVAILABLE` where there is no store or no locks, before anything is kept. */
  open(): Promise<void>
  /** In no order. */
  list(owner: string): Promise<readonly OutboxRecord[]>
  /** Resolves once the record is kept. @throws `STORAGE_FULL`, `STORAGE_FAILED`; nothing is kept then. */
  add(record: OutboxRecord): Promise<void>
  /**
   * Reads and writes in one: `change` returns the new record, undefined to leave it, null to remove it. Resolves with what
   * is kept then.
   *
   * @throws `STORAGE_FULL`, `STORAGE_FAILED`; nothing changes then.
   */
  update(
    owner: string,
    id: string,
    change: (record: OutboxRecord) => OutboxRecord | null | undefined,
  ): Promise<OutboxRecord | undefined>
  /** Does the work while the lock is held. One that waited for `waitMs` takes the lock from its holder. */
  hold<result>(name: string, waitMs: number, work: (turn: Turn) => Promise<result>): Promise<result>
  /** Undefined where the lock is held elsewhere; the work is not done then. */
  holdIfFree<result>(name: string, work: () => Promise<result>): Promise<result | undefined>
  /** News of a change, in this tab or another. Returns a function that ends it. */
  onChange(listener: (owner: string) => void): () => void
}
