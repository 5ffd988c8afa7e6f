import { BaseError } from '../../core/errors/BaseError.ts'
import type { AuthState, AuthStep, OfferStep } from './authStep.ts'
import type { OwnerSelection } from './uiConfig.ts'

/** `email`: e-mail address to add; undefined adds a passkey. */
export type AddEvent = { type: 'addPressed'; email?: string | undefined } | { type: 'addFailed'; cause: unknown }

export function isOffer(step: { type: string }): step is OfferStep {
  return ['passkey_create', 'recovery_create', 'social_add', 'owner_create'].includes(step.type)
}

/** Checks whether a sign-in method is being added. The step that adds a backup key shows its progress itself. */
export function isAdding(step: OfferStep): boolean {
  if (step.type === 'owner_create') return false
  return step.type === 'recovery_create' ? step.adding !== undefined : step.isAdding === true
}

/** Returns the state after an offer: the offer of a backup key if it follows, otherwise the end. */
export function endOffer(step: OfferStep): AuthState {
  if ('ownerAfter' in step && step.ownerAfter) return offerOwner(step.ownerAfter, true)
  // Adding a key later is not a sign-in.
  const isRestored = step.type === 'owner_create' && !step.isSignup
  return { isOpen: false, step: { type: 'complete', ...(isRestored && { isRestored }) } }
}

export function offerOwner(owner: OwnerSelection, isSignup: boolean): AuthState {
  return { isOpen: true, step: { type: 'owner_create', owner, isSignup } }
}

/** Adds the offer of a backup key to the end of a sign-up. */
export function withOwnerOffer(next: AuthState, step: AuthStep, owner: OwnerSelection | undefined): AuthState {
  if (!owner || next.step === step) return next
  if (next.step.type === 'passkey_create' || next.step.type === 'recovery_create')
    return { ...next, step: { ...next.step, ownerAfter: owner } }
  return next.step.type === 'complete' ? offerOwner(owner, true) : next
}

/**
 * Returns the offer step while a sign-in method is being added, or after a failure. The user's input remains. A
 * cancelled wait does not count as a failure.
 */
export function toAdding(step: OfferStep, event: AddEvent): OfferStep {
  const isPressed = event.type === 'addPressed'
  if (step.type === 'owner_create') return step
  if (step.type === 'social_add') {
    const { type, option } = step
    if (isPressed) return { type, option, isAdding: true }
    return isAborted(event.cause) ? { type, option } : { type, option, error: { cause: event.cause } }
  }
  const after = step.ownerAfter && { ownerAfter: step.ownerAfter }
  if (step.type === 'passkey_create')
    return { type: step.type, ...after, ...(isPressed ? { isAdding: true } : { error: { cause: event.cause } }) }
  const email = (isPressed ? event.email : undefined) ?? step.email
  const typed = { type: step.type, email, ...after }
  if (isPressed) return { ...typed, adding: event.email === undefined ? 'passkey' : 'email' }
  return isAborted(event.cause) ? typed : { ...typed, error: { cause: event.cause } }
}

function isAborted(cause: unknown): boolean {
  return cause instanceof BaseError && cause.code === 'ABORTED'
}
