import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import type { AuthEvent } from './authMachine.ts'
import type { AuthState } from './authStep.ts'
import type { AuthUiConfig } from './uiConfig.ts'

/**
 * Place of the sign-in UI. If the page has a card, the card completes links and the dialog does not open automatically.
 */
export type Place = 'dialog' | 'card'

export type Dispatch = (event: AuthEvent) => void
/** Values of the last render. */
export type Latest = { state: AuthState; auth: AuthUiConfig; opensItself: () => boolean; place: Place }

/** Signers whose link has already been handled. */
const shownBy = { dialog: new WeakSet<Signer>(), card: new WeakSet<Signer>() }

/** Converts the signer's events to events of the state machine. Returns a function that stops. */
export function bindSigner(signer: Signer, dispatch: Dispatch, latest: () => Latest): () => void {
  const shown = shownBy[latest().place]
  const isLinkOffered = () => isOffered(latest(), signer.link?.isSignup)
  const isOwnerOffered = () => signer.link?.isSignup === true && latest().auth.addOwnerOnSignup !== undefined
  // Runs once per signer. If the link was completed before the dialog was loaded, the signer still has the outcome.
  if (signer.link?.hasBundle && !shown.has(signer) && latest().opensItself())
    dispatch({ type: 'linkOpened', wasAskedHere: signer.link.wasAskedHere })
  shown.add(signer)
  const unsubscribes = [
    signer.on('statusChanged', (status, reason) => {
      if (status === 'AWAITING_EMAIL_AUTH' && (isLinkOffered() || isOwnerOffered())) dispatch({ type: 'opened' })
      const createPasskeyAfter =
        reason === 'signedIn'
          ? { email_completing: isLinkOffered(), email_verify: isOffered(latest(), signer.isSignup) }
          : {}
      const askRecoveryAfter = latest().auth.addRecoveryOnSignup === true
      const addOwnerAfter = reason === 'signedIn' ? toOwnerOffers(signer, latest()) : {}
      dispatch({ type: 'statusChanged', status, reason, createPasskeyAfter, askRecoveryAfter, addOwnerAfter })
    }),
    signer.on('error', (error) => {
      // For a failed chunk, the provider's notice offers Retry, the link is kept, and this step continues to wait.
      if (error.code !== 'CHUNK_FAILED') report(error, 'signerFailed', dispatch)
    }),
  ]
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}

/** Checks whether to offer a passkey at the end: only after sign-ups, and only if configured. */
function isOffered({ auth }: Latest, isSignup = false): boolean {
  return isSignup && auth.addPasskeyOnSignup === true
}

/** Returns the backup key to offer if the sign-in that ends in a step is a sign-up. */
function toOwnerOffers({ link, isSignup }: Signer, { auth, state: { step } }: Latest) {
  const owner = (isNew: boolean | undefined) => (isNew ? auth.addOwnerOnSignup : undefined)
  return {
    email_completing: owner(link?.isSignup),
    email_verify: owner(isSignup),
    passkey_verify: owner(step.type === 'passkey_verify' && step.request.createNew),
  }
}

export function report(
  error: unknown,
  type: 'failed' | 'signerFailed' | 'codeFailed' | 'mfaFailed',
  dispatch: Dispatch,
): void {
  const code = error instanceof BaseError ? error.code : undefined
  // A newer call, such as Resend, has replaced this call.
  if (code === 'SUPERSEDED') return
  if (code === 'ABORTED') {
    dispatch({ type: 'aborted' })
    return
  }
  console.error(error)
  dispatch({ type, cause: error })
}
