import type { EmailParameters, PasskeyParameters } from '../../signer/AuthParameters.ts'
import type { Link, LinkFault } from './linkFault.ts'
import type { OwnerSelection, SocialOption } from './uiConfig.ts'

type Failure = { cause: unknown }
type EmailWait = { code?: CodeEntry; error?: Failure }
export type AuthStep =
  /** The form. `email` and `error`: of a failed attempt. `link`: a link has failed; its error event will follow. */
  | ({ type: 'initial'; email?: string; error?: Failure; request?: EmailParameters; link?: Link } & OfferAfter)
  /**
   * The user must open the e-mail. `resend`: state of the second e-mail, while it is being sent and shortly afterwards.
   * `code`: state of a code that the user typed instead of opening the link. `error`: sending the second e-mail failed;
   * the first e-mail remains valid.
   */
  | ({ type: 'email_verify'; request: EmailParameters; resend?: 'sending' | 'done' } & OfferAfter & EmailWait)
  /** The sign-in needs the user's second factor. `error`: the code was wrong, and the user can type another. */
  | ({ type: 'mfa'; email?: string | undefined } & CodeEntry & OfferAfter)
  /** A sign-in is being completed: with this page's link if `link` is set, otherwise with a stored session. */
  | { type: 'email_completing'; link?: Link }
  /** The link of this page is invalid here: it belongs to another browser, was already used, or has expired. */
  | { type: 'email_link_failed'; reason: LinkFault }
  /** The tab that requested the e-mail signed in with this tab's link. `isSignedInHere`: this tab is signed in, too. */
  | { type: 'email_link_taken'; isSignedInHere: boolean }
  /** Asks for the name of a new passkey. `name` is a suggestion. */
  | { type: 'passkey_new'; name: string }
  /**
   * The passkey prompt is open, or has failed with `error`. An `error` whose `cause` is null means that the user closed
   * the prompt or the device has no passkey. `recovery`: step to return to.
   */
  | {
      type: 'passkey_verify'
      request: PasskeyParameters
      error?: Failure
      recovery?: RecoveryStep | undefined
    }
  /** The user is signing in at an identity provider, or the sign-in has failed with `error`. */
  | { type: 'social_verify'; option: SocialOption; error?: Failure }
  /** The account is being deleted, and the user can cancel that here. `error`: cancelling failed. */
  | { type: 'account_deleting'; isCancelling?: boolean; error?: Failure }
  /** The deletion was cancelled. */
  | { type: 'account_kept' }
  | OfferStep
  /** The user is signed in. `isRestored`: the stored session was restored, without a sign-in. */
  | { type: 'complete'; isRestored?: boolean }

/** Offers a passkey or an identity provider after the sign-in, because adding it required a more recent sign-in. */
export type OfferAfter = { createPasskeyAfter?: boolean | undefined; addAfter?: SocialOption | undefined }

/** `error`: the service refused the code, and the user can type another. */
export type CodeEntry = { isChecking?: boolean; error?: Failure }

export type AuthState = { isOpen: boolean; step: AuthStep }

/** Offer after a sign-up by e-mail: a passkey. */
type PasskeyOfferStep = { type: 'passkey_create'; isAdding?: boolean; error?: { cause: unknown } } & OwnerAfter

/** Offer after a sign-up by passkey: an e-mail address or another passkey. `email`: the user's input. */
export type RecoveryStep = {
  type: 'recovery_create'
  email?: string | undefined
  /** Sign-in method being added, while the passkey prompt is open or the address waits for its confirmation e-mail. */
  adding?: 'email' | 'passkey'
  error?: { cause: unknown }
} & OwnerAfter

/** Offers a backup key next. */
type OwnerAfter = { ownerAfter?: OwnerSelection | undefined }

/** Offer of an identity provider, after the user has proved the e-mail address by signing in. */
type SocialOfferStep = { type: 'social_add'; option: SocialOption; isAdding?: boolean; error?: { cause: unknown } }

/** Offer of a backup key: another owner of the account. `isSignup`: after a sign-up, otherwise at the app's request. */
export type OwnerOfferStep = { type: 'owner_create'; owner: OwnerSelection; isSignup: boolean }

/** Offer of another sign-in method or owner after a sign-up. */
export type OfferStep = PasskeyOfferStep | RecoveryStep | SocialOfferStep | OwnerOfferStep
