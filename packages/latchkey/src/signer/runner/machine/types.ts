import type { BaseError } from '../../../core/errors/BaseError.ts'
import type {
  AuthParameters,
  BundleParameters,
  CodeParameters,
  EmailParameters,
  OauthParameters,
  PasskeyLoginParameters,
  PasskeySignupParameters,
} from '../../AuthParameters.ts'
import type { Session, TemporarySession } from '../../session/Session.ts'
import type { ConnectedReason, SignerStatus } from '../../types.ts'
import type { StampedBody } from '../api/createCustodyApi.ts'

/** Job in progress. The result of a job counts only while its id is in the state. */
export type Job = {
  id: number
  /**
   * `restore`: restores the stored session at page load; `resume`: restores it after a failed or cancelled sign-in;
   * `adopt`: restores another tab's session; `complete`: uses an e-mail's bundle or code.
   */
  kind: 'restore' | 'resume' | 'adopt' | 'mail' | 'complete' | 'passkey' | 'oauth'
}

/** Pending `authenticate()` call. */
export type Call = { id: number; email?: string | undefined }

export type MachineState = {
  status: SignerStatus
  /**
   * In CONNECTED, the session in use. In other statuses, the session being activated, or the session to resume if the
   * sign-in fails.
   */
  session: Session | null
  /** Reason why `session` is in use. Null in every status except CONNECTED. */
  reason: ConnectedReason | null
  /** Whether the frame has the credential of `session`. */
  live: boolean
  job: Job | null
  /** Id of the job that requests another e-mail while a code of the previous e-mail is being tried. */
  sending: number | null
  call: Call | null
  /** Id of the call whose bundle or code is being tried. `call` may still be waiting for an e-mail. */
  completing: number | null
  /** Expiration time of the pending e-mail, in milliseconds since 1970. */
  mailEndsMs: number | null
  /** Highest job id so far. */
  jobs: number
}

/** Sign-in by passkey. `signed`: body signed by a passkey that the user picked in a form field. */
export type PasskeyRequest = (PasskeyLoginParameters & { signed?: StampedBody | undefined }) | PasskeySignupParameters

/**
 * Bundle of an e-mail link. `isHandedOver`: another tab offered the bundle, so it is not offered again. `isOauth`: the
 * bundle is an identity provider's response.
 */
export type BundleRequest = BundleParameters & { isHandedOver?: boolean | undefined; isOauth?: boolean | undefined }
export type AuthRequest = Exclude<AuthParameters, { type: 'passkey' }> | BundleRequest | PasskeyRequest

export type MachineEvent =
  /** The page's stored session and e-mail link have been read. */
  | { type: 'LOADED'; session: Session | null; link: BundleRequest | null }
  | { type: 'AUTHENTICATE'; call: Call; request: AuthRequest }
  | { type: 'MAIL_SENT'; job: number; temporary: TemporarySession; mailEndsMs: number }
  /** `isAdopted`: another tab created and stored the session. */
  | { type: 'COMPLETED'; job: number; session: Session; isAdopted?: boolean }
  | { type: 'RESTORED'; job: number; session: Session }
  /** The job waits for the user's second factor, or checks it. */
  | { type: 'FACTOR'; job: number; isAwaited: boolean }
  /** `final`: the service refused the credential itself, so a retry is useless. */
  | { type: 'FAILED'; job: number; error: BaseError; final: boolean }
  /** The caller of `authenticate` cancelled the call. */
  | { type: 'ABORTED'; call: number }
  | { type: 'MAIL_EXPIRED' }
  /** Another tab signed out and thereby deleted the key that decrypts the e-mail's bundle. */
  | { type: 'MAIL_DROPPED' }
  /** Another tab changed the stored session; null after a sign-out. */
  | { type: 'SESSION_CHANGED'; session: Session | null }
  | { type: 'EXPIRED' }
  | { type: 'DISCONNECT' }
  | { type: 'DESTROY' }

export type Effect =
  | { type: 'restore'; job: number; session: Session & { type: 'email' } }
  | { type: 'sendMail'; job: number; request: EmailParameters }
  | { type: 'complete'; job: number; request: BundleRequest | CodeParameters }
  | { type: 'usePasskey'; job: number; request: PasskeyRequest }
  | { type: 'useProvider'; job: number; request: OauthParameters }
  | { type: 'saveSession'; session: Session }
  | { type: 'clearSession' }
  | { type: 'saveTemporary'; temporary: TemporarySession }
  | { type: 'clearTemporary' }
  | { type: 'closeFrame' }
  /**
   * Revokes the session's key and deletes the frame's key, so that stored bundles are useless. `session` is null if
   * there is none.
   */
  | { type: 'signOut'; session: Session | null }
  | { type: 'resolve'; call: number; session: Session }
  | { type: 'reject'; call: number; error: BaseError }
  /** Makes the callers of `call` wait for `to` instead. */
  | { type: 'join'; call: number; to: number }
  /** Reports a failure outside of any call. */
  | { type: 'report'; error: BaseError }

export type Step = { state: MachineState; effects: readonly Effect[] }

export type EventType = MachineEvent['type']
export type EventOf<type extends EventType> = Extract<MachineEvent, { type: type }>
export type Handler<type extends EventType> = (state: MachineState, event: EventOf<type>) => Step
