/** Confirmations outside the page: what custody does only once a person has confirmed it from a mail. */

/**
 * Confirmation that an activity with the status `ACTIVITY_STATUS_PENDING` waits for. Sending the same request with the
 * same stamp again returns the activity's current state, so waiting needs no further stamp.
 */
export type ActivityConfirmation = {
  /** Channel through which the user is asked. */
  by: 'mail'
  /** The activity ends unconfirmed then: milliseconds since 1970, a decimal string. */
  expiresAtMs: string
  /** Address that the mail went to: the person's, or a new one that is to agree. */
  to?: string
  action?: ConfirmationAction
}

/** Details that a client shows while an activity waits. */
export const confirmationText = 'Check your email to confirm'

/** Page of the auth frame's origin that a confirmation's mail leads to; the secret is in the URL's fragment. */
export const confirmationPagePath = '/confirm/'

/** Requests that need a confirmation, worded as in the email and on its page, which also ask "…?". */
export const confirmationActions = {
  'export-wallet': 'Show your recovery phrase',
  'export-key': 'Show your private key',
  'add-passkey': 'Add a passkey',
  'add-key': 'Add a key that can use your wallet',
  'start-session': 'Let another session use your wallet',
  'remove-credential': 'Remove a passkey or key',
  'change-email': 'Change your email address',
  'delete-account': 'Delete your account',
} as const

export type ConfirmationAction = keyof typeof confirmationActions

/** `confirm` a recorded activity, `prove` that an address may be an account's, `undo` a passkey that was added, or `keep` an account that is being deleted. */
export type ConfirmationKind = 'confirm' | 'prove' | 'undo' | 'keep'

/** Subject of an e-mail link. Times are milliseconds since 1970. */
export type Confirmation = {
  kind: ConfirmationKind
  action: ConfirmationAction
  /** `passed-on`: confirmed by the person, and the new address is asked. */
  state: 'open' | 'passed-on' | 'confirmed' | 'refused' | 'failed' | 'expired'
  app: string
  organizationId: string
  /** E-mail address that the mail went to. */
  email: string
  requestedAtMs: number
  expiresAtMs: number
  /** Address of the first or the exported account, EIP-55. */
  address?: string | undefined
  /** Name or address in the request. */
  detail?: string | undefined
  /** Browser and system, as the requester's `User-Agent` has it. */
  requestedFrom?: string | undefined
  /** Fingerprint of the key that receives a secret or gets access, see `formatKeyFingerprint`. */
  keyFingerprint?: string | undefined
  /** Users who already have access, which the owner of a new address agrees to. */
  openedBy?: string | undefined
  /** Why a confirmed activity was not done. */
  failure?: string | undefined
}

/** `secret`: of the link, base64url of 32 bytes. */
export type ReadConfirmationRequest = { secret: string }
export type DecideConfirmationRequest = { secret: string; decision: 'accept' | 'refuse' | 'end-sessions' }
export type ConfirmationResponse = { confirmation: Confirmation }

/**
 * The short form of a public key that people compare: the first 16 hex digits of the SHA-256 digest of the uncompressed
 * point (65 bytes), in groups of four.
 *
 * @example
 * ```ts
 * import { formatKeyFingerprint } from 'latchkey-protocol'
 *
 * const point = new Uint8Array(65).fill(4)
 * const digest = await crypto.subtle.digest('SHA-256', point)
 * console.log(formatKeyFingerprint(new Uint8Array(digest)))
 * ```
 */
export function formatKeyFingerprint(digest: Uint8Array): string {
  const digits = [...digest.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/(.{4})(?=.)/g, '$1 ')
}
