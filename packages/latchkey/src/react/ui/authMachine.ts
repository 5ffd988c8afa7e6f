import type { EmailParameters, PasskeyParameters, SignerStatus } from '../../signer/types.ts'

/** What the dialog asks of the signer. Resend asks for the very same, whatever the link is to bring back. */
export type EmailRequest = EmailParameters
/** Sign in with a passkey, or make a new one and a new account with it. Retry asks for the very same. */
export type PasskeyRequest = PasskeyParameters

export type AuthStep =
  /** The form. `email` and `error` are what a failed attempt leaves behind; `request` is being submitted. */
  | { type: 'initial'; email?: string; error?: { cause: unknown }; request?: EmailRequest }
  /** `resend`: a second mail is on its way, or has left and the page still says so. */
  | { type: 'email_verify'; request: EmailRequest; resend?: 'sending' | 'done' }
  /** `createPasskeyAfter`: this is a sign-up, and a passkey is offered at its end. */
  | { type: 'email_completing'; createPasskeyAfter?: boolean }
  /** The device asks the user; with `error` it has answered no. */
  | { type: 'passkey_verify'; request: PasskeyRequest; error?: { cause: unknown } }
  /** Signed up; a passkey is offered. */
  | { type: 'passkey_create'; isAdding?: boolean; error?: { cause: unknown } }
  | { type: 'complete' }

export type AuthState = { isOpen: boolean; step: AuthStep }

export type AuthEvent =
  | { type: 'opened' }
  | { type: 'closed' }
  | { type: 'back' }
  | { type: 'submitted'; request: EmailRequest }
  | { type: 'resendPressed' }
  | { type: 'resendShown' }
  /** Passkey, Retry or a new passkey was asked for. */
  | { type: 'passkeyAsked'; request: PasskeyRequest }
  | { type: 'addPressed' }
  | { type: 'addFailed'; cause: unknown }
  /** A passkey was added to the account. */
  | { type: 'added' }
  | { type: 'skipped' }
  /** A call of the dialog failed. */
  | { type: 'failed'; cause: unknown }
  /** The signer failed at something no caller waits for, such as a mail link. */
  | { type: 'signerFailed'; cause: unknown }
  /** The attempt was called off, for example by logging out in another tab. */
  | { type: 'aborted' }
  /** This page was opened by a mail link. */
  | { type: 'linkOpened'; createPasskeyAfter?: boolean }
  | { type: 'statusChanged'; status: SignerStatus }

export const initialAuthState: AuthState = { isOpen: false, step: { type: 'initial' } }

const completed: AuthState = { isOpen: false, step: { type: 'complete' } }

/** The one state machine of the dialog: every step is a value here, none is a flag beside it. */
export function authMachine(state: AuthState, event: AuthEvent): AuthState {
  const { step } = state
  switch (event.type) {
    case 'opened':
      return { isOpen: true, step: step.type === 'complete' ? initialAuthState.step : step }
    case 'closed':
      return closed(step)
    case 'back':
      return step.type === 'email_verify' || step.type === 'passkey_verify' ? { ...state, step: formOf(step) } : state
    case 'submitted':
      return step.type === 'initial' ? { ...state, step: { type: 'initial', request: event.request } } : state
    case 'resendPressed':
      return step.type === 'email_verify' ? { ...state, step: { ...step, resend: 'sending' } } : state
    case 'resendShown':
      return step.type === 'email_verify' ? { ...state, step: { type: 'email_verify', request: step.request } } : state
    case 'passkeyAsked':
      return step.type === 'initial' || step.type === 'passkey_verify'
        ? { ...state, step: { type: 'passkey_verify', request: event.request } }
        : state
    case 'failed':
      return isUnderWay(step) ? failed(state, event.cause) : state
    case 'signerFailed':
      return isUnderWay(step) || (state.isOpen && step.type === 'initial') ? failed(state, event.cause) : state
    case 'aborted':
      return isUnderWay(step) ? { ...state, step: formOf(step) } : state
    case 'linkOpened':
      return step.type === 'initial' ? linkOpened(event.createPasskeyAfter) : state
    case 'statusChanged':
      return statusChanged(state, event.status)
    default:
      return step.type === 'passkey_create' ? offered(state, event) : state
  }
}

function linkOpened(createPasskeyAfter = false): AuthState {
  return { isOpen: true, step: { type: 'email_completing', ...(createPasskeyAfter && { createPasskeyAfter }) } }
}

/** A step that waits goes on waiting; one that says what went wrong has said it. Closing the offer is Skip. */
function closed(step: AuthStep): AuthState {
  if (step.type === 'passkey_create') return completed
  if (step.type === 'passkey_verify' && step.error) return initialAuthState
  if (step.type !== 'initial') return { isOpen: false, step }
  const { error: _, ...rest } = step
  return { isOpen: false, step: rest }
}

type OfferEvent = Extract<AuthEvent, { type: 'addPressed' | 'addFailed' | 'added' | 'skipped' }>

/** The passkey that is offered after a sign-up. */
function offered(state: AuthState, event: OfferEvent): AuthState {
  switch (event.type) {
    case 'addPressed':
      return { ...state, step: { type: 'passkey_create', isAdding: true } }
    case 'addFailed':
      return { ...state, step: { type: 'passkey_create', error: { cause: event.cause } } }
    case 'added':
    case 'skipped':
      return completed
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
      return connected(state)
    case 'DISCONNECTED':
      return step.type === 'complete' || step.type === 'email_completing' || step.type === 'passkey_create'
        ? { ...state, step: formOf(step) }
        : state
    case 'INITIALIZING':
      return state
  }
}

function connected(state: AuthState): AuthState {
  const { isOpen, step } = state
  if (step.type === 'passkey_create') return state
  if (isOpen && step.type === 'email_completing' && step.createPasskeyAfter)
    return { isOpen, step: { type: 'passkey_create' } }
  // A restored session with the dialog at rest is not a sign-in through it.
  return isOpen || isUnderWay(step) ? completed : state
}

function failed(state: AuthState, cause: unknown): AuthState {
  const { step } = state
  const at = step.type === 'passkey_verify' ? step : formOf(step)
  return { ...state, step: { ...at, error: { cause } } }
}

/** Whether the step waits for the signer. An error at any other step belongs to an attempt the user has left. */
function isUnderWay(step: AuthStep): boolean {
  if (step.type === 'initial') return step.request !== undefined
  if (step.type === 'passkey_verify') return step.error === undefined
  return step.type === 'email_verify' || step.type === 'email_completing'
}

/** The form at rest, with the address of the attempt that led away from it. */
function formOf(step: AuthStep): Extract<AuthStep, { type: 'initial' }> {
  const request = step.type === 'email_verify' || step.type === 'initial' ? step.request : undefined
  const email = request?.email ?? (step.type === 'initial' ? step.email : undefined)
  return { type: 'initial', ...(email !== undefined && { email }) }
}
