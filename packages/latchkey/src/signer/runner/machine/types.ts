import type { BaseError } from '../../../core/errors/BaseError.ts'
import type { Session, TemporarySession } from '../../session/Session.ts'
import type {
  AuthParameters,
  BundleParameters,
  CodeParameters,
  ConnectedReason,
  EmailParameters,
  OauthParameters,
  PasskeyLoginParameters,
  PasskeySignupParameters,
  SignerStatus,
} from '../../types.ts'
import type { StampedBody } from '../api/createCustodyApi.ts'

/** Work in progress. Only the result of the job in the state counts; any other is stale. */
export type Job = {
  id: number
  /**
   * `restore`: the stored session at page load; `resume`: the same after a failed or cancelled sign-in; `adopt`:
   * another tab's session; `complete`: an e-mail's bundle or code.
   */
  kind: 'restore' | 'resume' | 'adopt' | 'mail' | 'complete' | 'passkey' | 'oauth'
}

/** Waiting `authenticate()` call. */
export type Call = { id: number; email?: string | undefined }

export type MachineState = {
  status: SignerStatus
  /**
   * CONNECTED: the session in use. Otherwise: the session being activated, or the session to resume if a sign-in fails.
   */
  session: Session | null
  /** Reason why `session` is in use. Null in every status but CONNECTED. */
  reason: ConnectedReason | null
  /** Whether the frame holds the credential of `session`. */
  live: boolean
  job: Job | null
  /** Job that requests another e-mail while a code of the previous one is being tried. */
  sending: number | null
  call: Call | null
  /** Id of the call that has a bundle or a code, in addition to the `call` that waits for the e-mail. */
  completing: number | null
  /** Expiry of the pending e-mail, in milliseconds since 1970. */
  mailEndsMs: number | null
  /** Highest job id that has been used. */
  jobs: number
}

/** Sign-in by passkey; with `signed` the user has already picked one in a form field of the page. */
export type PasskeyRequest = (PasskeyLoginParameters & { signed?: StampedBody | undefined }) | PasskeySignupParameters

/**
 * Bundle of an e-mail link; `isHandedOver`: received from another tab, not offered again; `isOauth`: an identity
 * provider's answer instead.
 */
export type BundleRequest = BundleParameters & { isHandedOver?: boolean | undefined; isOauth?: boolean | undefined }
export type AuthRequest = Exclude<AuthParameters, { type: 'passkey' }> | BundleRequest | PasskeyRequest

export type MachineEvent =
  /** The page was read once: stored session and e-mail link. */
  | { type: 'LOADED'; session: Session | null; link: BundleRequest | null }
  | { type: 'AUTHENTICATE'; call: Call; request: AuthRequest }
  | { type: 'MAIL_SENT'; job: number; temporary: TemporarySession; mailEndsMs: number }
  /** `isAdopted`: another tab created and stored the session. */
  | { type: 'COMPLETED'; job: number; session: Session; isAdopted?: boolean }
  | { type: 'RESTORED'; job: number; session: Session }
  /** `final`: the credential itself was refused, so a retry does not help. */
  | { type: 'FAILED'; job: number; error: BaseError; final: boolean }
  /** The caller of `authenticate` cancelled it. */
  | { type: 'ABORTED'; call: number }
  | { type: 'MAIL_EXPIRED' }
  /** Another tab signed out, which removed the key the e-mail was encrypted to. */
  | { type: 'MAIL_DROPPED' }
  /** Another tab wrote the session; null when it signed out. */
  | { type: 'SESSION_CHANGED'; session: Session | null }
  | { type: 'EXPIRED' }
  | { type: 'DISCONNECT' }
  | { type: 'DESTROY' }

export type Effect =
  | { type: 'restore'; job: number; session: Session & { type: 'email' } }
  | { type: 'sendMail'; job: number; request: EmailParameters }
  | { type: 'complete'; job: number; request: BundleRequest | CodeParameters }
  /** Prompts for a passkey, and signs in or up with it. */
  | { type: 'usePasskey'; job: number; request: PasskeyRequest }
  /** Signs in by an identity provider. */
  | { type: 'useProvider'; job: number; request: OauthParameters }
  | { type: 'saveSession'; session: Session }
  | { type: 'clearSession' }
  | { type: 'saveTemporary'; temporary: TemporarySession }
  | { type: 'clearTemporary' }
  | { type: 'closeFrame' }
  /**
   * Revokes the session's key (null: there is none) and makes the frame delete its own key, so that stored bundles no
   * longer open.
   */
  | { type: 'signOut'; session: Session | null }
  | { type: 'resolve'; call: number; session: Session }
  | { type: 'reject'; call: number; error: BaseError }
  /** Moves the callers waiting for `call` to `to`. */
  | { type: 'join'; call: number; to: number }
  /** Reports a failure that no caller waits for. */
  | { type: 'report'; error: BaseError }

export type Step = { state: MachineState; effects: readonly Effect[] }

export type EventType = MachineEvent['type']
export type EventOf<type extends EventType> = Extract<MachineEvent, { type: type }>
export type Handler<type extends EventType> = (state: MachineState, event: EventOf<type>) => Step
