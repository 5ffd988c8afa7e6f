import { BaseError } from '../../core/errors/BaseError.ts'
import type { SocialOption } from './uiConfig.ts'

/** Offer after a sign-up by e-mail: a passkey. */
type PasskeyOfferStep = { type: 'passkey_create'; isAdding?: boolean; error?: { cause: unknown } }

/** Offer after a sign-up by passkey: an e-mail address or another passkey. `email`: the user's input. */
export type RecoveryStep = {
  type: 'recovery_create'
  email?: string | undefined
  /** Sign-in method being added, while the passkey prompt is open or the address waits for its confirmation e-mail. */
  adding?: 'email' | 'passkey'
  error?: { cause: unknown }
}

/** Offer of an identity provider, after the user has proved the e-mail address by signing in. */
type SocialOfferStep = { type: 'social_add'; option: SocialOption; isAdding?: boolean; error?: { cause: unknown } }

/** Offer of another sign-in method after a sign-up. */
export type OfferStep = PasskeyOfferStep | RecoveryStep | SocialOfferStep

/** `email`: e-mail address to add; undefined adds a passkey. */
export type AddEvent = { type: 'addPressed'; email?: string | undefined } | { type: 'addFailed'; cause: unknown }

export function isOffer(step: { type: string }): step is OfferStep {
  return ['passkey_create', 'recovery_create', 'social_add'].includes(step.type)
}

export function isAdding(step: OfferStep): boolean {
  return step.type === 'recovery_create' ? step.adding !== undefined : step.isAdding === true
}

/**
 * Returns the offer step while a sign-in method is being added, or after a failure. The user's input remains. A
 * cancelled wait does not count as a failure.
 */
export function toAdding(step: OfferStep, event: AddEvent): OfferStep {
  const isPressed = event.type === 'addPressed'
  if (step.type === 'social_add') {
    const { type, option } = step
    if (isPressed) return { type, option, isAdding: true }
    return isAborted(event.cause) ? { type, option } : { type, option, error: { cause: event.cause } }
  }
  if (step.type === 'passkey_create')
    return { type: step.type, ...(isPressed ? { isAdding: true } : { error: { cause: event.cause } }) }
  const email = (isPressed ? event.email : undefined) ?? step.email
  const typed = { type: step.type, email }
  if (isPressed) return { ...typed, adding: event.email === undefined ? 'passkey' : 'email' }
  return isAborted(event.cause) ? typed : { ...typed, error: { cause: event.cause } }
}

function isAborted(cause: unknown): boolean {
  return cause instanceof BaseError && cause.code === 'ABORTED'
}
