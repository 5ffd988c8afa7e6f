import type { EmailParameters, SignerStatus } from '../../signer/types.ts'

/** What the dialog asks of the signer. Resend asks for the very same, whatever the link is to bring back. */
export type EmailRequest = EmailParameters

export type AuthStep =
  /** The form. `email` and `error` are what a failed attempt leaves behind; `request` is being submitted. */
  | { type: 'initial'; email?: string; error?: { cause: unknown }; request?: EmailRequest }
  /** `resend`: a second mail is on its way, or has left and the page still says so. */
  | { type: 'email_verify'; request: EmailRequest; resend?: 'sending' | 'done' }
  | { type: 'email_completing' }
  | { type: 'complete' }

export type AuthState = { isOpen: boolean; step: AuthStep }

export type AuthEvent =
  | { type: 'opened' }
  | { type: 'closed' }
  | { type: 'back' }
  | { type: 'submitted'; request: EmailRequest }
  | { type: 'resendPressed' }
  | { type: 'resendShown' }
  /** A call of the dialog failed. */
  | { type: 'failed'; cause: unknown }
  /** The signer failed at something no caller waits for, such as a mail link. */
  | { type: 'signerFailed'; cause: unknown }
  /** The attempt was called off, for example by logging out in another tab. */
  | { type: 'aborted' }
  /** This page was opened by a mail link. */
  | { type: 'linkOpened' }
  | { type: 'statusChanged'; status: SignerStatus }

export const initialAuthState: AuthState = { isOpen: false, step: { type: 'initial' } }

/** The one state machine of the dialog: every step is a value here, none is a flag beside it. */
export function authMachine(state: AuthState, event: AuthEvent): AuthState {
  const { step } = state
  switch (event.type) {
    case 'opened':
      return { isOpen: true, step: step.type === 'complete' ? initialAuthState.step : step }
    case 'closed':
      return { isOpen: false, step: step.type === 'initial' ? withoutError(step) : step }
    case 'back':
      return step.type === 'email_verify' ? { ...state, step: formOf(step) } : state
    case 'submitted':
      return step.type === 'initial' ? { ...state, step: { type: 'initial', request: event.request } } : state
    case 'resendPressed':
      return step.type === 'email_verify' ? { ...state, step: { ...step, resend: 'sending' } } : state
    case 'resendShown':
      return step.type === 'email_verify' ? { ...state, step: { type: 'email_verify', request: step.request } } : state
    case 'failed':
      return isUnderWay(step) ? failed(state, event.cause) : state
    case 'signerFailed':
      return isUnderWay(step) || (state.isOpen && step.type === 'initial') ? failed(state, event.cause) : state
    case 'aborted':
      return isUnderWay(step) ? { ...state, step: formOf(step) } : state
    case 'linkOpened':
      return step.type === 'initial' ? { isOpen: true, step: { type: 'email_completing' } } : state
    case 'statusChanged':
      return statusChanged(state, event.status)
  }
}

function statusChanged(state: AuthState, status: SignerStatus): AuthState {
  const { step } = state
  switch (status) {
    case 'AWAITING_EMAIL_AUTH':
      // Only now has the mail left, so only now may the page say so.
      if (step.type === 'email_verify') return step.resend ? { ...state, step: { ...step, resend: 'done' } } : state
      return step.type === 'initial' && step.request
        ? { ...state, step: { type: 'email_verify', request: step.request } }
        : state
    case 'AUTHENTICATING':
      // Opened by hand while a session is being restored or a link completed.
      return state.isOpen && step.type === 'initial' && !step.request
        ? { ...state, step: { type: 'email_completing' } }
        : state
    case 'CONNECTED':
      // A restored session with the dialog at rest is not a sign-in through it.
      return state.isOpen || isUnderWay(step) ? { isOpen: false, step: { type: 'complete' } } : state
    case 'DISCONNECTED':
      return step.type === 'complete' || step.type === 'email_completing' ? { ...state, step: formOf(step) } : state
    case 'INITIALIZING':
      return state
  }
}

function failed(state: AuthState, cause: unknown): AuthState {
  return { ...state, step: { ...formOf(state.step), error: { cause } } }
}

/** Whether the step waits for the signer. An error at any other step belongs to an attempt the user has left. */
function isUnderWay(step: AuthStep): boolean {
  if (step.type === 'initial') return step.request !== undefined
  return step.type === 'email_verify' || step.type === 'email_completing'
}

/** The form at rest, with the address of the attempt that led away from it. */
function formOf(step: AuthStep): Extract<AuthStep, { type: 'initial' }> {
  const request = step.type === 'email_verify' || step.type === 'initial' ? step.request : undefined
  const email = request?.email ?? (step.type === 'initial' ? step.email : undefined)
  return { type: 'initial', ...(email !== undefined && { email }) }
}

function withoutError(step: Extract<AuthStep, { type: 'initial' }>): AuthStep {
  const { error: _, ...rest } = step
  return rest
}
