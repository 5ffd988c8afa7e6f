import type { EmailParameters, PasskeyParameters } from '../../signer/AuthParameters.ts'
import type { ConnectedReason, SignerStatus } from '../../signer/types.ts'
import type { AuthState, AuthStep, CodeEntry, OfferAfter, OfferStep, RecoveryStep } from './authStep.ts'
import { findLinkFault, isCode } from './linkFault.ts'
import { type AddEvent, endOffer, isOffer, offerOwner, toAdding, withOwnerOffer } from './offers.ts'
import type { OwnerSelection, SocialOption } from './uiConfig.ts'

export type AuthEvent =
  /**
   * `email`: e-mail address of the signed-in user, who is about to sign in again. `awaitedEmail`: recipient of a
   * sign-in e-mail that was requested before a reload.
   */
  | { type: 'opened'; email?: string | undefined; awaitedEmail?: string | null | undefined }
  | { type: 'closed' }
  | { type: 'back' }
  | { type: 'submitted'; request: EmailParameters }
  | { type: 'resendPressed' }
  | { type: 'resendShown' }
  | { type: 'codeSubmitted' }
  | { type: 'codeFailed'; cause: unknown }
  | { type: 'mfaSubmitted' }
  | { type: 'mfaFailed'; cause: unknown }
  /** A new passkey account was requested. */
  | { type: 'newPasskeyAsked'; name: string }
  /**
   * The user clicked Passkey, but closed the prompt or has no passkey on the device. Browsers report both cases in the
   * same way.
   */
  | { type: 'noPasskeyHere' }
  /** The user clicked Passkey, Retry, Create a new passkey or, in the recovery offer, Sign in again. */
  | { type: 'passkeyAsked'; request: PasskeyParameters }
  /** The user clicked an identity provider, or its Retry button. */
  | { type: 'socialAsked'; option: SocialOption }
  /**
   * The identity provider does not prove the e-mail address. The user signs in by e-mail first, then adds the provider.
   */
  | { type: 'socialLinkAsked'; request: EmailParameters; option: SocialOption }
  | AddEvent
  /** The app asked to add a backup key. */
  | { type: 'ownerAsked'; owner: OwnerSelection }
  /** A passkey or an e-mail address was added to the account. */
  | { type: 'added' }
  | { type: 'skipped' }
  /** Adding a passkey requires a more recent sign-in: the user signs in first, then gets the offer again. */
  | { type: 'signInAsked'; email?: string | undefined }
  /** The user clicked the button that cancels the account deletion. */
  | { type: 'cancelPressed' }
  | { type: 'cancelFailed'; cause: unknown }
  | { type: 'cancelled' }
  /** A signer call of the dialog failed. */
  | { type: 'failed'; cause: unknown }
  /** The signer reported an error outside of a call, such as for an e-mail link. */
  | { type: 'signerFailed'; cause: unknown }
  /** The attempt was cancelled, for example by a sign-out in another tab. */
  | { type: 'aborted' }
  /** An e-mail link opened this page. */
  | { type: 'linkOpened'; wasAskedHere?: boolean }
  /**
   * `reason`: reason of the `CONNECTED` event. `createPasskeyAfter`: for each step, whether a sign-up is followed by
   * the offer of a passkey. `askRecoveryAfter`: whether a sign-up by passkey is followed by the offer of another
   * sign-in method. `addOwnerAfter`: backup key to offer after a sign-up, for each step.
   */
  | {
      type: 'statusChanged'
      status: SignerStatus
      reason?: ConnectedReason | undefined
      createPasskeyAfter?: { readonly [type in AuthStep['type']]?: boolean }
      askRecoveryAfter?: boolean
      addOwnerAfter?: { readonly [type in AuthStep['type']]?: OwnerSelection | undefined }
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
      return isDeleting(event.cause) || step.type === 'mfa'
        ? failed(state, event.cause)
        : withCode(state, { error: { cause: event.cause } })
    case 'mfaSubmitted':
      return withFactor(state, { isChecking: true })
    case 'mfaFailed':
      return withFactor(state, { error: { cause: event.cause } })
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
    case 'ownerAsked':
      return isOffer(step) ? state : offerOwner(event.owner, false)
    case 'linkOpened':
      return step.type === 'initial' ? linkOpened(event) : state
    case 'statusChanged':
      return statusChanged(state, event)
    default:
      return isOffer(step) ? { ...state, ...offered(step, event) } : state
  }
}

/**
 * Fills an idle form with the signed-in user's e-mail address. Leaves a step in progress unchanged. Replaces an
 * untouched form with the e-mail step if an e-mail is awaited.
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

/** Keeps a step that waits; resets a step that shows a failure. Closing the dialog skips the offer. */
function closed(step: AuthStep): AuthState {
  if (step.type === 'owner_create') return endOffer(step)
  if (isOffer(step) || (step.type === 'email_link_taken' && step.isSignedInHere)) return completed
  if (isDeadEnd(step) || step.type === 'passkey_new' || (isPrompt(step) && step.error)) return initialAuthState
  if (step.type === 'initial')
    return { isOpen: false, step: { ...form(step.email), ...(step.request && { request: step.request }) } }
  if (step.type !== 'email_verify') return { isOpen: false, step }
  const { createPasskeyAfter: _, addAfter: __, ...rest } = step
  return { isOpen: false, step: rest }
}

type OfferEvent = Extract<AuthEvent, { type: 'addPressed' | 'addFailed' | 'added' | 'skipped' | 'signInAsked' }>

function offered(step: OfferStep, event: OfferEvent): Partial<AuthState> {
  switch (event.type) {
    case 'addPressed':
    case 'addFailed':
      return { step: toAdding(step, event) }
    case 'signInAsked':
      return { step: { ...form(event.email), createPasskeyAfter: true } }
    case 'added':
    case 'skipped':
      return endOffer(step)
  }
}

type StatusChange = Extract<AuthEvent, { type: 'statusChanged' }>

function statusChanged(state: AuthState, event: StatusChange): AuthState {
  const { step } = state
  const { status, reason } = event
  switch (status) {
    case 'AWAITING_EMAIL_AUTH':
      return mailSent(state)
    case 'AWAITING_MFA_AUTH':
      return factorAsked(state)
    case 'AUTHENTICATING':
      // The user opens the dialog while a session is being restored or a link is being completed.
      return state.isOpen && step.type === 'initial' && !step.request
        ? { ...state, step: { type: 'email_completing' } }
        : state
    case 'CONNECTED':
      // The new sign-in failed or was cancelled, and the previous session resumed. This does not count as a sign-in.
      if (reason === 'resumed') return leaveCompleting(state)
      if (reason === 'restored') return restored(connected(state, event))
      return withOwnerOffer(connected(state, event), step, state.isOpen ? event.addOwnerAfter?.[step.type] : undefined)
    case 'DISCONNECTED':
      return disconnected(state)
    case 'INITIALIZING':
      return state
  }
}

/**
 * Shows the e-mail step, or that a second e-mail was sent. Clears a typed code, because the second e-mail has another
 * code.
 */
function mailSent(state: AuthState): AuthState {
  const { step } = state
  if (step.type === 'email_verify' && step.resend === 'sending')
    return { ...state, step: { ...toVerify(step.request, step), resend: 'done' } }
  return step.type === 'initial' && step.request ? { ...state, step: toVerify(step.request, step) } : state
}

/** Shows the step in which the user types the second factor, unless a wrong code is about to be reported there. */
function factorAsked(state: AuthState): AuthState {
  const { step } = state
  if (step.type === 'mfa' || !(state.isOpen || isPending(step))) return state
  const email = step.type === 'email_verify' ? step.request.email : undefined
  return { ...state, step: { type: 'mfa', email, ...offerAfter('addAfter' in step ? step : {}) } }
}

function toVerify(request: EmailParameters, offer: OfferAfter): VerifyStep {
  return { type: 'email_verify', request, ...offerAfter(offer) }
}

function connected(state: AuthState, { reason, createPasskeyAfter, askRecoveryAfter }: StatusChange): AuthState {
  const { isOpen, step } = state
  if (isOffer(step)) return state
  const recovery = askedAgain(step)
  if (isOpen && recovery && reason === 'signedIn') return { isOpen, step: recovery }
  if (isOpen && askRecoveryAfter && reason === 'signedIn' && step.type === 'passkey_verify' && step.request.createNew)
    return { isOpen, step: { type: 'recovery_create' } }
  // A link is completed in its own tab, unless the key is in the tab that requested the e-mail.
  if (step.type === 'email_completing' && step.link && reason === 'adopted')
    return { isOpen, step: { type: 'email_link_taken', isSignedInHere: true } }
  const isOffered = createPasskeyAfter?.[step.type] || ('createPasskeyAfter' in step && step.createPasskeyAfter)
  if (isOpen && 'addAfter' in step && step.addAfter)
    return { isOpen, step: { type: 'social_add', option: step.addAfter } }
  if (isOpen && isOffered) return { isOpen, step: { type: 'passkey_create' } }
  // Restoring a session while the dialog is idle does not count as a sign-in through the dialog.
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

/** Returns to the form after a link or session failed to sign in. The link's error event may follow. */
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

function withFactor(state: AuthState, entry: CodeEntry): AuthState {
  const { step } = state
  if (step.type !== 'mfa') return state
  const { isChecking: _, error: __, ...rest } = step
  return { ...state, step: { ...rest, ...entry } }
}

/** Returns the step to return to after the user has signed in again. */
function askedAgain(step: AuthStep): RecoveryStep | undefined {
  if (step.type === 'recovery_create') return { type: step.type, email: step.email }
  return step.type === 'passkey_verify' ? step.recovery : undefined
}

function canGoBack(step: AuthStep): boolean {
  return ['email_verify', 'mfa', 'passkey_new'].includes(step.type) || isPrompt(step) || isDeadEnd(step)
}

type PromptStep = Extract<AuthStep, { type: 'passkey_verify' | 'social_verify' }>

/** Checks whether the user must answer a prompt outside of the page. */
function isPrompt(step: AuthStep): step is PromptStep {
  return step.type === 'passkey_verify' || step.type === 'social_verify'
}

/** Checks for a step without a sign-in in progress. */
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

/** Checks whether the step waits for the signer. Errors at other steps belong to attempts that the user has left. */
function isPending(step: AuthStep): boolean {
  if (step.type === 'initial') return step.request !== undefined
  if (isPrompt(step)) return step.error === undefined
  return ['email_verify', 'mfa', 'email_completing'].includes(step.type)
}

/** Returns the idle form with the e-mail address of the previous attempt. */
function toForm(step: AuthStep): FormStep {
  if (step.type === 'email_verify') return { ...form(step.request.email), ...offerAfter(step) }
  if (step.type === 'mfa') return { ...form(step.email), ...offerAfter(step) }
  return step.type === 'initial' ? { ...form(step.request?.email ?? step.email), ...offerAfter(step) } : form(undefined)
}

function form(email: string | undefined): FormStep {
  return { type: 'initial', ...(email !== undefined && { email }) }
}

function offerAfter({ createPasskeyAfter, addAfter }: OfferAfter): OfferAfter {
  return { ...(createPasskeyAfter && { createPasskeyAfter }), ...(addAfter && { addAfter }) }
}
