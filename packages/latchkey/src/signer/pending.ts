import type { ConfirmationAction } from 'latchkey-protocol'
import type { WaitOptions } from './WaitOptions.ts'

/** Session that ended without a sign-out in this browser, so that the app can explain why the user is signed out. */
export type EndedSession = {
  /** `time`: the session expired. `elsewhere`: another browser ended it, or its key was removed. */
  reason: 'time' | 'elsewhere'
  /** The user's e-mail address; undefined if they signed in without one. */
  email?: string | undefined
  /** Whether the user signed in by passkey. */
  isPasskey: boolean
  /** Session lifetime configured by the app, in milliseconds. */
  lifeMs: number
}

/** Request that waits for the user's confirmation outside of the page. */
export type PendingConfirmation = {
  /** Text to show. */
  text: string
  /** Expiry of the request, in milliseconds since 1970. */
  expiresAtMs: number
  /** Recipient of the e-mail: the user's current or new e-mail address; undefined if the service does not report it. */
  to?: string | undefined
  /** Action to confirm, if the service reports it. */
  action?: ConfirmationAction | undefined
  /** Secret that the confirmation page shows instead of this app; undefined for other requests. */
  reveals?: 'phrase' | 'key' | undefined
  /** Secret that the user enters on the confirmation page; undefined for other requests. */
  takes?: 'phrase' | 'key' | undefined
  /**
   * Sends the e-mail again, without a prompt. The previous e-mail stays valid, and the request's expiration time does
   * not change. Rate-limited.
   */
  resend(): Promise<void>
  /** Ends the wait with `ABORTED`. */
  cancel(): void
}

/** Account whose credential the service refused because the account is being deleted. */
export type PendingDeletion = {
  /** Time at which the keys are destroyed, in milliseconds since 1970. */
  dueAtMs: number
  /** Cancels the deletion with the refused credential. Sign in again afterwards. */
  cancel(options?: WaitOptions): Promise<void>
}
