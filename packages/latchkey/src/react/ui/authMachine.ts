import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import type { EmailParameters, PasskeyParameters, SignerStatus } from '../../signer/types.ts'

/** What the dialog asks of the signer. Resend asks for the very same, whatever the link is to bring back. */
export type EmailRequest = EmailParameters
/** Sign in with a passkey, or make a new one and a new account with it. Retry asks for the very same. */
export type PasskeyRequest = PasskeyParameters

export type AuthStep =
  /**
   * The form. `email` and `error` are what a failed attempt leaves behind; `request` is being submitted. `link`: one
   * has just failed, and its error is still to come.
   */
  | ({
      type: 'initial'
      email?: string
      error?: { cause: unknown }
      request?: EmailRequest
      link?: Link
    } & OfferAfter)
  /**
   * `resend`: a second mail is on its way, or has left and the page still says so. `code`: the mail carries a code
   * that may be typed here instead of opening the link.
   */
  | ({ type: 'email_verify'; request: EmailRequest; resend?: 'sending' | 'done'; code?: CodeEntry } & OfferAfter)
  /** `link`: it is the link of this page that is being completed, not a stored session. */
  | ({ type: 'email_completing'; link?: Link } & OfferAfter)
  /** The link of this page opens nothing here: it belongs to another browser, or is not good any more. */
  | { type: 'email_link_failed'; reason: 'elsewhere' | 'spent' }
  /** The device asks the user; with `error` it has answered no. */
  | { type: 'passkey_verify'; request: PasskeyRequest; error?: { cause: unknown } }
  /** Signed up; a passkey is offered. */
  | { type: 'passkey_create'; isAdding?: boolean; error?: { cause: unknown } }
  | { type: 'complete' }

/** Whether this browser waited for a mail when the link came, so that it can be its own. */
type Link = 'own' | 'foreign'

/** A passkey is offered at the end: this is a sign-up, or adding one asked for a sign-in first. */
type OfferAfter = { createPasskeyAfter?: boolean | undefined }

/** `isChecking`: the code is with the service. `error`: it was refused, and another may be typed. */
export type CodeEntry = { isChecking?: boolean; error?: { cause: unknown } } & OfferAfter

export type AuthState = { isOpen: boolean; step: AuthStep }

export type AuthEvent =
  /** `email`: the address of whoever is signed in, and is to sign in again. */
  | { type: 'opened'; email?: string | undefined }
  | { type: 'closed' }
  | { type: 'back' }
  | { type: 'submitted'; request: EmailRequest }
  | { type: 'resendPressed' }
  | { type: 'resendShown' }
  | { type: 'codeSubmitted'; createPasskeyAfter?: boolean }
  | { type: 'codeFailed'; cause: unknown }
  /** Passkey, Retry or a new passkey was asked for. */
  | { type: 'passkeyAsked'; request: PasskeyRequest }
  | { type: 'addPressed' }
  | { type: 'addFailed'; cause: unknown }
  /** A passkey was added to the account. */
  | { type: 'added' }
  | { type: 'skipped' }
  /** Adding it needs a younger sign-in: sign in first, then the offer again. */
  | { type: 'signInAsked'; email?: string | undefined }
  /** A call of the dialog failed. */
  | { type: 'failed'; cause: unknown }
  /** The signer failed at something no caller waits for, such as a mail link. */
  | { type: 'signerFailed'; cause: unknown }
  /** The attempt was called off, for example by logging out in another tab. */
  | { type: 'aborted' }
  /** This page was opened by a mail link. */
  | { type: 'linkOpened'; createPasskeyAfter?: boolean; wasAskedHere?: boolean }
  /** `acceptsCode`: the mail that is waited for carries a code. */
  | { type: 'statusChanged'; status: SignerStatus; acceptsCode?: boolean }
  /** A new sign-in came to nothing: whoever was signed in still is. */
  | { type: 'returned' }

export const initialAuthState: AuthState = { isOpen: false, step: { type: 'initial' } }

const completed: AuthState = { isOpen: false, step: { type: 'complete' } }

/** The one state machine of the dialog: every step is a value here, none is a flag beside it. */
export function authMachine(state: AuthState, event: AuthEvent): AuthState {
  const { step } = state
  switch (event.type) {
    case 'opened':
      return { isOpen: true, step: opened(step, event.email) }
    case 'closed':
      return closed(step)
    case 'back':
      return canGoBack(step) ? { ...state, step: formOf(step) } : state
    case 'submitted':
      return step.type === 'initial'
        ? { ...state, step: { type: 'initial', request: event.request, ...offerAfter(step) } }
        : state
    case 'resendPressed':
      return step.type === 'email_verify' ? { ...state, step: { ...step, resend: 'sending' } } : state
    case 'resendShown':
      return step.type === 'email_verify' ? { ...state, step: withoutResend(step) } : state
    case 'codeSubmitted':
      return withCode(state, { isChecking: true, ...offerAfter(event) })
    case 'codeFailed':
      return withCode(state, { error: { cause: event.cause } })
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
      return step.type === 'initial' ? linkOpened(event) : state
    case 'returned':
      return step.type === 'email_completing' ? { ...state, step: formOf(step) } : state
    case 'statusChanged':
      return statusChanged(state, event.status, event.acceptsCode)
    default:
      return step.type === 'passkey_create' ? offered(state, event) : state
  }
}

/** At rest the form names whoever is signed in; a step under way stays. */
function opened(step: AuthStep, email: string | undefined): AuthStep {
  if (step.type === 'complete') return form(email)
  return step.type === 'initial' && !step.request ? { ...step, ...form(email ?? step.email) } : step
}

function linkOpened({ createPasskeyAfter, wasAskedHere }: Extract<AuthEvent, { type: 'linkOpened' }>): AuthState {
  return {
    isOpen: true,
    step: {
      type: 'email_completing',
      link: wasAskedHere ? 'own' : 'foreign',
      ...offerAfter({ createPasskeyAfter }),
    },
  }
}

/** A step that waits goes on waiting; one that says what went wrong has said it. Closing the offer is Skip. */
function closed(step: AuthStep): AuthState {
  if (step.type === 'passkey_create') return completed
  if (step.type === 'email_link_failed' || (step.type === 'passkey_verify' && step.error)) return initialAuthState
  if (step.type === 'initial')
    return { isOpen: false, step: { ...form(step.email), ...(step.request && { request: step.request }) } }
  if (step.type !== 'email_verify') return { isOpen: false, step }
  const { createPasskeyAfter: _, ...rest } = step
  return { isOpen: false, step: rest }
}

type OfferEvent = Extract<AuthEvent, { type: 'addPressed' | 'addFailed' | 'added' | 'skipped' | 'signInAsked' }>

/** The passkey that is offered after a sign-up. */
function offered(state: AuthState, event: OfferEvent): AuthState {
  switch (event.type) {
    case 'addPressed':
      return { ...state, step: { type: 'passkey_create', isAdding: true } }
    case 'addFailed':
      return { ...state, step: { type: 'passkey_create', error: { cause: event.cause } } }
    case 'signInAsked':
      return { ...state, step: { ...form(event.email), createPasskeyAfter: true } }
    case 'added':
    case 'skipped':
      return completed
  }
}

function statusChanged(state: AuthState, status: SignerStatus, acceptsCode = false): AuthState {
  const { step } = state
  switch (status) {
    case 'AWAITING_EMAIL_AUTH':
      return mailSent(state, acceptsCode)
    case 'AUTHENTICATING':
      // Opened by hand while a session is being restored or a link completed.
      return state.isOpen && step.type === 'initial' && !step.request
        ? { ...state, step: { type: 'email_completing' } }
        : state
    case 'CONNECTED':
      return connected(state)
    case 'DISCONNECTED':
      return disconnected(state)
    case 'INITIALIZING':
      return state
  }
}

/** Only now has the mail left, so only now may the page say so. A new mail has a new code. */
function mailSent(state: AuthState, acceptsCode: boolean): AuthState {
  const { step } = state
  const code = acceptsCode ? { code: {} } : {}
  if (step.type === 'email_verify' && step.resend === 'sending')
    return {
      ...state,
      step: { type: 'email_verify', request: step.request, resend: 'done', ...code, ...offerAfter(step) },
    }
  return step.type === 'initial' && step.request
    ? { ...state, step: { type: 'email_verify', request: step.request, ...code, ...offerAfter(step) } }
    : state
}

function connected(state: AuthState): AuthState {
  const { isOpen, step } = state
  if (step.type === 'passkey_create') return state
  if (isOpen && isOfferedAfter(step)) return { isOpen, step: { type: 'passkey_create' } }
  // A restored session with the dialog at rest is not a sign-in through it.
  return isOpen || isUnderWay(step) ? completed : state
}

function disconnected(state: AuthState): AuthState {
  const { step } = state
  if (step.type === 'email_completing' && step.link) return { ...state, step: { type: 'initial', link: step.link } }
  return step.type === 'complete' || step.type === 'email_completing' || step.type === 'passkey_create'
    ? { ...state, step: formOf(step) }
    : state
}

function failed(state: AuthState, cause: unknown): AuthState {
  const { step } = state
  const reason = 'link' in step && step.link ? reasonOf(cause, step.link) : undefined
  if (reason) return { ...state, step: { type: 'email_link_failed', reason } }
  const at = step.type === 'passkey_verify' ? step : formOf(step)
  return { ...state, step: { ...at, error: { cause } } }
}

type FormStep = Extract<AuthStep, { type: 'initial' }>
type VerifyStep = Extract<AuthStep, { type: 'email_verify' }>

function withoutResend({ resend: _, ...step }: VerifyStep): VerifyStep {
  return step
}

function withCode(state: AuthState, code: CodeEntry): AuthState {
  const { step } = state
  return step.type === 'email_verify' && step.code ? { ...state, step: { ...step, code } } : state
}

function canGoBack({ type }: AuthStep): boolean {
  return type === 'email_verify' || type === 'email_link_failed' || type === 'passkey_verify'
}

/** Why a link opens nothing, where it is the link's fault; undefined for an outage, which the form tells of. */
function reasonOf(cause: unknown, link: Link): 'elsewhere' | 'spent' | undefined {
  // The frame has opened it, and the service has refused the key inside.
  if (isRefusal(cause)) return 'spent'
  // Its key lies in another browser, or in none any more.
  if (link === 'own' || !(cause instanceof BaseError)) return undefined
  return linkErrors.has(cause.code) ? 'elsewhere' : undefined
}

const linkErrors: ReadonlySet<string> = new Set(['BUNDLE_INJECTION_FAILED', 'EMAIL_INIT_SESSION_MISSING'])

function isRefusal(cause: unknown): boolean {
  return cause instanceof HttpError && [401, 403, 404].includes(cause.status)
}

/** Whether the step waits for the signer. An error at any other step belongs to an attempt the user has left. */
function isUnderWay(step: AuthStep): boolean {
  if (step.type === 'initial') return step.request !== undefined
  if (step.type === 'passkey_verify') return step.error === undefined
  return step.type === 'email_verify' || step.type === 'email_completing'
}

/** The form at rest, with the address of the attempt that led away from it. */
function formOf(step: AuthStep): FormStep {
  if (step.type === 'email_verify') return { ...form(step.request.email), ...offerAfter(step) }
  return step.type === 'initial' ? { ...form(step.request?.email ?? step.email), ...offerAfter(step) } : form(undefined)
}

function form(email: string | undefined): FormStep {
  return { type: 'initial', ...(email !== undefined && { email }) }
}

function offerAfter({ createPasskeyAfter }: OfferAfter): OfferAfter {
  return createPasskeyAfter ? { createPasskeyAfter } : {}
}

/** Of a sign-up by mail the tab that ends it offers the passkey: the one that was given the link, or the code. */
function isOfferedAfter(step: AuthStep): boolean {
  if ('createPasskeyAfter' in step && step.createPasskeyAfter) return true
  return step.type === 'email_verify' && step.code?.createPasskeyAfter === true
}
