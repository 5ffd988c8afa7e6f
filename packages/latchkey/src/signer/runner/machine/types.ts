import type { BaseError } from '../../../core/errors/BaseError.ts'
import type { Session, TemporarySession } from '../../session/Session.ts'
import type {
  AuthParameters,
  BundleParameters,
  CodeParameters,
  ConnectedReason,
  EmailParameters,
  PasskeyLoginParameters,
  PasskeySignupParameters,
  SignerStatus,
} from '../../types.ts'
import type { StampedBody } from '../api/createCustodyApi.ts'

/** Work under way. Only the result of the job in the state counts; any other is stale. */
export type Job = {
  id: number
  /**
   * `restore`: the stored session at page load; `resume`: the same after a sign-in that failed or was cancelled;
   * `adopt`: one that another tab made; `complete`: a mail's bundle or code.
   */
  kind: 'restore' | 'resume' | 'adopt' | 'mail' | 'complete' | 'passkey'
}

/** An `authenticate()` that still waits. */
export type Call = { id: number; email?: string | undefined }

export type MachineState = {
  status: SignerStatus
  /** CONNECTED: the session in use. Else the one being taken up, or to return to when a sign-in fails. */
  session: Session | null
  /** How `session` came into use. Null in every status but CONNECTED. */
  reason: ConnectedReason | null
  /** Whether the frame holds the credential of `session`. */
  live: boolean
  job: Job | null
  /** Job of a mail that is being requested again while a code of the mail before it is tried. */
  sending: number | null
  call: Call | null
  /** Id of the call with a bundle or a code, beside the `call` that waits for the mail. */
  completing: number | null
  /** When the mail waited for can no longer be used, in milliseconds since 1970. */
  mailEndsMs: number | null
  /** Highest job id given out. */
  jobs: number
}

/** A log-in by passkey; with `signed` the person has chosen one already, in a form field of the page. */
export type PasskeyRequest = (PasskeyLoginParameters & { signed?: StampedBody | undefined }) | PasskeySignupParameters

/** The bundle of a mail link; with `isHandedOver` another tab has offered it, and it is not offered again. */
export type BundleRequest = BundleParameters & { isHandedOver?: boolean | undefined }
export type AuthRequest = Exclude<AuthParameters, { type: 'passkey' }> | BundleRequest | PasskeyRequest

export type MachineEvent =
  /** The page was read once: stored session and mail link. */
  | { type: 'LOADED'; session: Session | null; link: BundleParameters | null }
  | { type: 'AUTHENTICATE'; call: Call; request: AuthRequest }
  | { type: 'MAIL_SENT'; job: number; temporary: TemporarySession; mailEndsMs: number }
  /** `isAdopted`: another tab made the session, and has stored it. */
  | { type: 'COMPLETED'; job: number; session: Session; isAdopted?: boolean }
  | { type: 'RESTORED'; job: number; session: Session }
  /** `final`: the credential itself was refused, so that trying again does not help. */
  | { type: 'FAILED'; job: number; error: BaseError; final: boolean }
  /** The caller of `authenticate` cancelled it. */
  | { type: 'ABORTED'; call: number }
  | { type: 'MAIL_EXPIRED' }
  /** Another tab signed out, which removed the key the mail was sealed to. */
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
  | { type: 'saveSession'; session: Session }
  | { type: 'clearSession' }
  | { type: 'saveTemporary'; temporary: TemporarySession }
  | { type: 'clearTemporary' }
  | { type: 'closeFrame' }
  /** Revokes the session's key (none: null) and has the frame delete its own, so that stored bundles open nothing. */
  | { type: 'signOut'; session: Session | null }
  | { type: 'resolve'; call: number; session: Session }
  | { type: 'reject'; call: number; error: BaseError }
  /** The callers that wait for `call` wait for `to` from now on. */
  | { type: 'join'; call: number; to: number }
  /** A failure no caller waits for. */
  | { type: 'report'; error: BaseError }

export type Step = { state: MachineState; effects: readonly Effect[] }

export type EventType = MachineEvent['type']
export type EventOf<type extends EventType> = Extract<MachineEvent, { type: type }>
export type Handler<type extends EventType> = (state: MachineState, event: EventOf<type>) => Step
