import type { BaseError } from '../../core/errors/BaseError.ts'
import type { Session } from '../session/Session.ts'
import type { AuthParameters, BundleParameters, EmailParameters, PasskeyParameters, SignerStatus } from '../types.ts'

/** Work under way. Only the result of the job in the state counts; any other is stale. */
export type Job = {
  id: number
  /** `restore`: the stored session; `adopt`: one that another tab made. */
  kind: 'restore' | 'adopt' | 'mail' | 'complete' | 'passkey'
}

/** An `authenticate()` that still waits. */
export type Call = { id: number; email?: string | undefined }

export type MachineState = {
  status: SignerStatus
  /** CONNECTED: the session in use. Else the one being taken up, or to return to when a sign-in fails. */
  session: Session | null
  /** Whether the frame holds the credential of `session`. */
  live: boolean
  job: Job | null
  call: Call | null
  /** Highest job id given out. */
  jobs: number
}

export type MachineEvent =
  /** The page was read once: stored session and mail link. */
  | { type: 'LOADED'; session: Session | null; link: BundleParameters | null }
  | { type: 'AUTHENTICATE'; call: Call; request: AuthParameters }
  | { type: 'MAIL_SENT'; job: number; orgId: string }
  | { type: 'COMPLETED'; job: number; session: Session }
  | { type: 'RESTORED'; job: number; session: Session }
  /** `final`: the credential itself was refused, so that trying again is in vain. */
  | { type: 'FAILED'; job: number; error: BaseError; final: boolean }
  /** Another tab wrote the session; null when it signed out. */
  | { type: 'SESSION_CHANGED'; session: Session | null }
  | { type: 'EXPIRED' }
  | { type: 'DISCONNECT' }
  | { type: 'DESTROY' }

export type Effect =
  | { type: 'restore'; job: number; session: Session & { type: 'email' } }
  | { type: 'sendMail'; job: number; request: EmailParameters }
  | { type: 'complete'; job: number; request: BundleParameters }
  /** Prompts for a passkey, and signs in or up with it. */
  | { type: 'usePasskey'; job: number; request: PasskeyParameters }
  | { type: 'saveSession'; session: Session }
  | { type: 'clearSession' }
  | { type: 'saveTemporary'; orgId: string }
  | { type: 'clearTemporary' }
  /** `forget`: the frame also deletes its key, so that stored bundles open no more. */
  | { type: 'closeFrame'; forget: boolean }
  | { type: 'resolve'; call: number; session: Session }
  | { type: 'reject'; call: number; error: BaseError }
  /** A failure no caller waits for. */
  | { type: 'report'; error: BaseError }

export type Step = { state: MachineState; effects: readonly Effect[] }

export type EventType = MachineEvent['type']
export type EventOf<type extends EventType> = Extract<MachineEvent, { type: type }>
export type Handler<type extends EventType> = (state: MachineState, event: EventOf<type>) => Step
