import { BaseError } from '../../core/errors/BaseError.ts'
import { HttpError } from '../../core/errors/HttpError.ts'
import type { ConnectedReason, EmailParameters, PasskeyParameters, SignerStatus } from '../../signer/types.ts'
import { type AddEvent, isOffer, type OfferStep, type RecoveryStep, toAdding } from './offers.ts'
import type { SocialOption } from './uiConfig.ts'

/** Sign-in e-mail. Resend repeats it unchanged, including redirect parameters. */
export type EmailRequest = EmailParameters
/** Sign-in with a passkey, or sign-up with a new one. Retry repeats it unchanged. */
export type PasskeyRequest = PasskeyParameters

export type AuthStep =
  /**
   * The form. `email` and `error` come from a failed attempt; `request` is being submitted. `link`: a link has just
   * failed, and its error event follows.
   */
  | ({
      type: 'initial'
      email?: string
      error?: { cause: unknown }
      request?: EmailRequest
      link?: Link
    } & OfferAfter)
  /**
   * `resend`: state of the second e-mail, while it is sent and shortly afterwards. `code`: a code was typed instead of
   * opening the link. `error`: the second e-mail could not be sent; the first one stays valid.
   */
  | ({
      type: 'email_verify'
      request: EmailRequest
      resend?: 'sending' | 'done'
      code?: CodeEntry
      error?: { cause: unknown }
    } & OfferAfter)
  /** `link`: this page's link is being completed, not a stored session. */
  | { type: 'email_completing'; link?: Link }
  /** This page's link cannot be used here: it belongs to another browser, or is no longer valid. */
  | { type: 'email_link_failed'; reason: LinkFault }
  /** The requesting tab signed in with this tab's link. `isSignedInHere`: this tab is signed in, too. */
  | { type: 'email_link_taken'; isSignedInHere: boolean }
  /** Asks for the name of a new passkey account. `name` is a suggestion. */
  | { type: 'passkey_new'; name: string }
  /**
   * The device prompts the user; with `error` the prompt has failed, or with the cause null it was closed or had no
   * passkey to offer. `recovery`: the step to return to.
   */
  | { type: 'passkey_verify'; request: PasskeyRequest; error?: { cause: unknown }; recovery?: RecoveryStep | undefined }
  /** The user signs in at an identity provider, or with `error` could not. */
  | { type: 'social_verify'; option: SocialOption; error?: { cause: unknown } }
  /** The deletion can be cancelled here. `error`: the deletion could not be cancelled. */
  | { type: 'account_deleting'; isCancelling?: boolean; error?: { cause: unknown } }
  /** The deletion was cancelled. */
  | { type: 'account_kept' }
  | OfferStep
  /** The user is signed in. `isRestored`: by the stored session, not by a sign-in. */
  | { type: 'complete'; isRestored?: boolean }

/**
 * The link belongs to a closed tab. `gone`: this browser waited for the e-mail in a closed tab, and has no key for it.
 */
export type LinkFault = 'elsewhere' | 'gone' | 'spent'
/** `own`: this browser waited for an e-mail when the link was opened, so the link can be its own. */
type Link = 'own' | 'foreign'

/** Offers a passkey or a provider at the end, because adding it required this new sign-in. */
type OfferAfter = { createPasskeyAfter?: boolean | undefined; addAfter?: SocialOption | undefined }

/** `isChecking`: the service verifies the code. `error`: refused, and another can be typed. */
export type CodeEntry = { isChecking?: boolean; error?: { cause: unknown } }

export type AuthState = { isOpen: boolean; step: AuthStep }

export type AuthEvent =
  /**
   * `email`: address of the signed-in user, who is about to sign in again. `awaitedEmail`: recipient of the sign-in
   * e-mail that an earlier load of the page requested.
   */
  | { type: 'opened'; email?: string | undefined; awaitedEmail?: string | null | undefined }
  | { type: 'closed' }
  | { type: 'back' }
  | { type: 'submitted'; request: EmailRequest }
  | { type: 'resendPressed' }
  | { type: 'resendShown' }
  | { type: 'codeSubmitted' }
  | { type: 'codeFailed'; cause: unknown }
  /** A new passkey account was requested. */
  | { type: 'newPasskeyAsked'; name: string }
  /** Passkey was clicked, but the prompt was closed, or the device has none; browsers do not tell which. */
  | { type: 'noPasskeyHere' }
  /** Passkey, Retry, Create a new passkey or, in the recovery offer, Sign in again was clicked. */
  | { type: 'passkeyAsked'; request: PasskeyRequest }
  /** An identity provider was picked, or is asked again. */
  | { type: 'socialAsked'; option: SocialOption }
  /** The provider does not prove its address: the user signs in by e-mail first, then adds the provider. */
  | { type: 'socialLinkAsked'; request: EmailRequest; option: SocialOption }
  | AddEvent
  /** A passkey or an address was added to the account. */
  | { type: 'added' }
  | { type: 'skipped' }
  /** Adding a passkey requires a more recent sign-in: sign in first, then offer it again. */
  | { type: 'signInAsked'; email?: string | undefined }
  /** Cancels the deletion of an account. */
  | { type: 'cancelPressed' }
  | { type: 'cancelFailed'; cause: unknown }
  | { type: 'cancelled' }
  /** A call of the dialog failed. */
  | { type: 'failed'; cause: unknown }
  /** The signer failed outside of a call, such as at an e-mail link. */
  | { type: 'signerFailed'; cause: unknown }
  /** The attempt was cancelled, for example by logging out in another tab. */
  | { type: 'aborted' }
  /** This page was opened by an e-mail link. */
  | { type: 'linkOpened'; wasAskedHere?: boolean }
  /**
   * `reason`: why the session is in use, with `CONNECTED`. `createPasskeyAfter`: steps in which a sign-up leads to the
   * offer of a passkey. `askRecoveryAfter`: users who sign up by passkey are asked for another sign-in method.
   */
  | {
      type: 'statusChanged'
      status: SignerStatus
      reason?: ConnectedReason | undefined
      createPasskeyAfter?: { readonly [type in AuthStep['type']]?: boolean }
      askRecoveryAfter?: boolean
    }

export const initialAuthState: AuthState = { isOpen: false, step: { type: 'initial' } }

const completed: AuthState = { isOpen: false, step: { type: 'complete' } }

/** Returns the next state of the dialog. */
export function authMachine(state: AuthState, event: AuthEvent): AuthState {
  const { step } = state
  switch (event.type) {
    case 'opened':
      return { isOpen: true, step: opened(step, event) }
    case 'closed':
      return closed(step)
    case 'back':
      return canGoBack(step) ? { ...state, step: askedAgain(step) ?? toForm(step) } : state
    case 'submitted':
      return step.type === 'initial'
        ? { ...state, step: { type: 'initial', request: event.request, ...offerAfter(step) } }
        : state
    case 'resendPressed':
      return step.type === 'email_verify' ? { ...state, step: { ...withoutError(step), resend: 'sending' } } : state
    case 'resendShown':
      return step.type === 'email_verify' ? { ...state, step: withoutResend(step) } : state
    case 'codeSubmitted':
      return withCode(state, { isChecking: true })
    case 'codeFailed':
      return isDeleting(event.cause) ? failed(state, event.cause) : withCode(state, { error: { cause: event.cause } })
    case 'cancelPressed':
      return { ...state, step: { type: 'account_deleting', isCancelling: true } }
    case 'cancelFailed':
      return { ...state, step: { type: 'account_deleting', error: { cause: event.cause } } }
    case 'cancelled':
      return { ...state, step: { type: 'account_kept' } }
    case 'newPasskeyAsked':
      return step.type === 'initial' ? { ...state, step: { type: 'passkey_new', name: event.name } } : state
    case 'noPasskeyHere':
      return step.type === 'passkey_verify' ? { ...state, step: { ...step, error: { cause: null } } } : state
    case 'passkeyAsked':
      return ['initial', 'passkey_new', 'passkey_verify', 'recovery_create'].includes(step.type)
        ? { ...state, step: { type: 'passkey_verify', request: event.request, recovery: askedAgain(step) } }
        : state
    case 'socialAsked':
      return ['initial', 'social_verify'].includes(step.type)
        ? { ...state, step: { type: 'social_verify', option: event.option } }
        : state
    case 'socialLinkAsked':
      return { ...state, step: { type: 'initial', request: event.request, addAfter: event.option } }
    case 'failed':
      return isPending(step) ? failed(state, event.cause) : state
    case 'signerFailed':
      return isPending(step) || (state.isOpen && step.type === 'initial') ? failed(state, event.cause) : state
    case 'aborted':
      return isPending(step) ? { ...state, step: toForm(step) } : state
    case 'linkOpened':
      return step.type === 'initial' ? linkOpened(event) : state
    case 'statusChanged':
      return statusChanged(state, event)
    default:
      return isOffer(step) ? { ...state, ...offered(step, event) } : state
  }
}

/**
 * Fills an idle form with the signed-in user's address; a step in progress stays. An untouched form is replaced by the
 * awaited e-mail.
 */
function opened(step: AuthStep, { email, awaitedEmail }: Extract<AuthEvent, { type: 'opened' }>): AuthStep {
  if (step.type === 'complete') return form(email)
  if (awaitedEmail && step.type === 'initial' && !step.request && !step.error && step.email === undefined)
    return { type: 'email_verify', request: { type: 'email', email: awaitedEmail } }
  return step.type === 'initial' && !step.request ? { ...step, ...form(email ?? step.email) } : step
}

function linkOpened({ wasAskedHere }: Extract<AuthEvent, { type: 'linkOpened' }>): AuthState {
  return { isOpen: true, step: { type: 'email_completing', link: wasAskedHere ? 'own' : 'foreign' } }
}

/** A waiting step keeps waiting; a step that shows a failure ends. Closing the dialog skips the offer. */
function closed(step: AuthStep): AuthState {
  if (isOffer(step) || (step.type === 'email_link_taken' && step.isSignedInHere)) return completed
  if (isDeadEnd(step) || step.type === 'passkey_new' || (isPrompt(step) && step.error)) return initialAuthState
  if (step.type === 'initial')
    return { isOpen: false, step: { ...form(step.email), ...(step.request && { request: step.request }) } }
  if (step.type !== 'email_verify') return { isOpen: false, step }
  const { createPasskeyAfter: _, addAfter: __, ...rest } = step
  return { isOpen: false, step: rest }
}

type OfferEvent = Extract<AuthEvent, { type: 'addPressed' | 'addFailed' | 'added' | 'skipped' | 'signInAsked' }>

/** Handles events of the offers after a sign-up. */
function offered(step: OfferStep, event: OfferEvent): Partial<AuthState> {
  switch (event.type) {
    case 'addPressed':
    case 'addFailed':
      return { step: toAdding(step, event) }
    case 'signInAsked':
      return { step: { ...form(event.email), createPasskeyAfter: true } }
    case 'added':
    case 'skipped':
      return completed
  }
}

type StatusChange = Extract<AuthEvent, { type: 'statusChanged' }>

function statusChanged(state: AuthState, event: StatusChange): AuthState {
  const { step } = state
  const { status, reason } = event
  switch (status) {
    case 'AWAITING_EMAIL_AUTH':
      return mailSent(state)
    case 'AUTHENTICATING':
      // The user opens the dialog while a session is being restored or a link is being completed.
      return state.isOpen && step.type === 'initial' && !step.request
        ? { ...state, step: { type: 'email_completing' } }
        : state
    case 'CONNECTED':
      // A sign-in failed or was cancelled, and the previous session is in use again. This does not count as a sign-in.
      if (reason === 'resumed') return leaveCompleting(state)
      return reason === 'restored' ? restored(connected(state, event)) : connected(state, event)
    case 'DISCONNECTED':
      return disconnected(state)
    case 'INITIALIZING':
      return state
  }
}

/** The page reports an e-mail only once it was sent. Its code replaces a typed one. */
function mailSent(state: AuthState): AuthState {
  const { step } = state
  if (step.type === 'email_verify' && step.resend === 'sending')
    return { ...state, step: { ...toVerify(step.request, step), resend: 'done' } }
  return step.type === 'initial' && step.request ? { ...state, step: toVerify(step.request, step) } : state
}

function toVerify(request: EmailRequest, offer: OfferAfter): VerifyStep {
  return { type: 'email_verify', request, ...offerAfter(offer) }
}

function connected(state: AuthState, { reason, createPasskeyAfter, askRecoveryAfter }: StatusChange): AuthState {
  const { isOpen, step } = state
  if (isOffer(step)) return state
  const recovery = askedAgain(step)
  if (isOpen && recovery && reason === 'signedIn') return { isOpen, step: recovery }
  if (isOpen && askRecoveryAfter && reason === 'signedIn' && step.type === 'passkey_verify' && step.request.createNew)
    return { isOpen, step: { type: 'recovery_create' } }
  // A link is completed in its own tab, unless only the requesting tab has the key.
  if (step.type === 'email_completing' && step.link && reason === 'adopted')
    return { isOpen, step: { type: 'email_link_taken', isSignedInHere: true } }
  const isOffered = createPasskeyAfter?.[step.type] || ('createPasskeyAfter' in step && step.createPasskeyAfter)
  if (isOpen && 'addAfter' in step && step.addAfter)
    return { isOpen, step: { type: 'social_add', option: step.addAfter } }
  if (isOpen && isOffered) return { isOpen, step: { type: 'passkey_create' } }
  // A session restored while the dialog is idle is not a sign-in through it.
  return isOpen || isPending(step) ? completed : state
}

function restored(state: AuthState): AuthState {
  return state.step.type === 'complete' ? { ...state, step: { type: 'complete', isRestored: true } } : state
}

function disconnected(state: AuthState): AuthState {
  const { step } = state
  return step.type === 'complete' || isOffer(step) || step.type === 'email_link_taken'
    ? { ...state, step: toForm(step) }
    : leaveCompleting(state)
}

/** Returns to the form from a link or session that did not sign in. A link's error event may still follow. */
function leaveCompleting(state: AuthState): AuthState {
  const { step } = state
  if (step.type !== 'email_completing') return state
  return { ...state, step: step.link ? { type: 'initial', link: step.link } : toForm(step) }
}

function failed(state: AuthState, cause: unknown): AuthState {
  const { step } = state
  if (isDeleting(cause)) return { ...state, step: { type: 'account_deleting' } }
  if ('link' in step && step.link && isCode(cause, 'LINK_HANDED_OVER'))
    return { ...state, step: { type: 'email_link_taken', isSignedInHere: false } }
  const reason = 'link' in step && step.link ? findLinkFault(cause, step.link) : undefined
  if (reason) return { ...state, step: { type: 'email_link_failed', reason } }
  // The earlier e-mail can still be used.
  if (step.type === 'email_verify' && step.resend)
    return { ...state, step: { ...withoutResend(step), error: { cause } } }
  const at = isPrompt(step) ? step : toForm(step)
  return { ...state, step: { ...at, error: { cause } } }
}

type FormStep = Extract<AuthStep, { type: 'initial' }>
type VerifyStep = Extract<AuthStep, { type: 'email_verify' }>

function withoutResend({ resend: _, ...step }: VerifyStep): VerifyStep {
  return step
}

function withoutError({ error: _, ...step }: VerifyStep): VerifyStep {
  return step
}

function withCode(state: AuthState, code: CodeEntry): AuthState {
  const { step } = state
  return step.type === 'email_verify' ? { ...state, step: { ...step, code } } : state
}

/** Returns the step that follows a repeated sign-in. */
function askedAgain(step: AuthStep): RecoveryStep | undefined {
  if (step.type === 'recovery_create') return { type: step.type, email: step.email }
  return step.type === 'passkey_verify' ? step.recovery : undefined
}

function canGoBack(step: AuthStep): boolean {
  return ['email_verify', 'passkey_new'].includes(step.type) || isPrompt(step) || isDeadEnd(step)
}

type PromptStep = Extract<AuthStep, { type: 'passkey_verify' | 'social_verify' }>

/** Checks for a step in which the user answers outside of the page. */
function isPrompt(step: AuthStep): step is PromptStep {
  return step.type === 'passkey_verify' || step.type === 'social_verify'
}

/** Checks for a step from which no sign-in continues. */
function isDeadEnd({ type }: AuthStep): boolean {
  return (
    type === 'email_link_failed' ||
    type === 'email_link_taken' ||
    type === 'account_deleting' ||
    type === 'account_kept'
  )
}

function isDeleting(cause: unknown): boolean {
  return isCode(cause, 'ORGANIZATION_DELETING')
}

function isCode(cause: unknown, code: BaseError['code']): boolean {
  return cause instanceof BaseError && cause.code === code
}

/** Returns why a link cannot be used; undefined when the link is not at fault, such as in an outage. */
function findLinkFault(cause: unknown, link: Link): LinkFault | undefined {
  // A frame opened the link's bundle, here or in the requesting tab, but the service refused the key inside.
  if (isRefusal(cause) || isCode(cause, 'LINK_EXPIRED')) return 'spent'
  if (isCode(cause, 'LINK_TAB_GONE')) return 'gone'
  if (link === 'own' || !(cause instanceof BaseError)) return undefined
  // The frame key that the link was encrypted to is in another browser, or deleted.
  return linkErrors.has(cause.code) ? 'elsewhere' : undefined
}

const linkErrors: ReadonlySet<string> = new Set(['BUNDLE_INJECTION_FAILED', 'EMAIL_INIT_SESSION_MISSING'])

function isRefusal(cause: unknown): boolean {
  return cause instanceof HttpError && [401, 403, 404].includes(cause.status)
}

/** Checks whether the step waits for the signer. An error at any other step belongs to an attempt the user left. */
function isPending(step: AuthStep): boolean {
  if (step.type === 'initial') return step.request !== undefined
  if (isPrompt(step)) return step.error === undefined
  return step.type === 'email_verify' || step.type === 'email_completing'
}

/** Returns the idle form, with the address of the previous attempt. */
function toForm(step: AuthStep): FormStep {
  if (step.type === 'email_verify') return { ...form(step.request.email), ...offerAfter(step) }
  return step.type === 'initial' ? { ...form(step.request?.email ?? step.email), ...offerAfter(step) } : form(undefined)
}

function form(email: string | undefined): FormStep {
  return { type: 'initial', ...(email !== undefined && { email }) }
}

function offerAfter({ createPasskeyAfter, addAfter }: OfferAfter): OfferAfter {
  return { ...(createPasskeyAfter && { createPasskeyAfter }), ...(addAfter && { addAfter }) }
}
