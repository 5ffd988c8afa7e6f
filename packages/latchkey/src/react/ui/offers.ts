import { BaseError } from '../../core/errors/BaseError.ts'

/** After a sign-up by mail: a passkey. */
type PasskeyOfferStep = { type: 'passkey_create'; isAdding?: boolean; error?: { cause: unknown } }

/** After a sign-up by passkey: an address or another passkey. `email`: what was typed. */
export type RecoveryStep = {
  type: 'recovery_create'
  email?: string | undefined
  /** What is under way: the prompts of the device, and for an address the wait for its mail. */
  adding?: 'email' | 'passkey'
  error?: { cause: unknown }
}

/** Signed up; another way in is offered. */
export type OfferStep = PasskeyOfferStep | RecoveryStep

/** `email`: the address that is added; without it a passkey is. */
export type AddEvent = { type: 'addPressed'; email?: string | undefined } | { type: 'addFailed'; cause: unknown }

export function isOffer(step: { type: string }): step is OfferStep {
  return step.type === 'passkey_create' || step.type === 'recovery_create'
}

export function isAdding(step: OfferStep): boolean {
  return step.type === 'passkey_create' ? step.isAdding === true : step.adding !== undefined
}

/** The offer while a way in is added, and after a failure, which keeps what was typed. A wait that was given up is none. */
export function toAdding(step: OfferStep, event: AddEvent): OfferStep {
  const isPressed = event.type === 'addPressed'
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
