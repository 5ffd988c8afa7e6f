/** Options of a call that may wait for the user's confirmation by e-mail. */
export type WaitOptions = {
  /** Ends the wait with `ABORTED`. The user can still confirm the request until it expires. */
  signal?: AbortSignal | undefined
}
