/** Confirmations outside the page: custody performs some activities only after the user has confirmed them by email. */

type Hex = `0x${string}`

/**
 * Confirmation that an activity with the status `ACTIVITY_STATUS_PENDING` waits for. Sending the same request with the
 * same stamp again returns the activity's current state, so waiting needs no further stamp.
 */
export type ActivityConfirmation = {
  /** Channel through which the user receives the confirmation. */
  by: 'mail'
  /** Time at which an unconfirmed activity expires, in milliseconds since 1970, as a decimal string. */
  expiresAtMs: string
  /** Recipient of the email: the user's address, or a new address that must confirm. */
  to?: string
  action?: ConfirmationAction
  /** Secret that the confirmation page shows. The activity's result omits it. */
  reveals?: RevealedSecret
  /** Secret that the user enters on the confirmation page. */
  takes?: RevealedSecret
}

/** Secret that a confirmation page shows or takes in place of the app's export or import frame. */
export type RevealedSecret = 'phrase' | 'key'

/** Text that a client shows while an activity waits for its confirmation. */
export const confirmationText = 'Check your email to confirm'

/** Path, on the auth frame's origin, of the page that a confirmation email links to. The secret is in the fragment. */
export const confirmationPagePath = '/confirm/'

/**
 * Names of the requests that need a confirmation, as shown in the email and on its page. Titles add a question mark.
 */
export const confirmationActions = {
  'export-wallet': 'Show your recovery phrase',
  'export-key': 'Show your private key',
  'import-wallet': 'Import a recovery phrase',
  'import-key': 'Import a private key',
  'add-passkey': 'Add a passkey',
  'add-key': 'Add a key that can use your wallet',
  'start-session': 'Let another session use your wallet',
  'remove-credential': 'Remove a passkey or key',
  'add-provider': 'Add a way to sign in',
  'remove-provider': 'Remove a way to sign in',
  'add-factor': 'Add a second factor',
  'remove-factor': 'Remove your second factor',
  'change-email': 'Change your email address',
  'delete-account': 'Delete your account',
  'change-owners': 'Change who owns your account',
  'change-code': "Change your account's code",
  'change-modules': 'Change what may act for your account',
  'approve-spending': 'Let a contract spend your tokens',
  'change-limits': 'Change your spending limits',
  send: 'Send from your account',
  sign: 'Sign this request',
} as const

export type ConfirmationAction = keyof typeof confirmationActions

/**
 * - `confirm`: run a recorded activity.
 * - `prove`: let the owner of an email address agree to its use for an account.
 * - `undo`: remove a passkey that was added.
 * - `keep`: cancel the deletion of an account.
 */
export type ConfirmationKind = 'confirm' | 'prove' | 'undo' | 'keep'

/**
 * One action that a signature authorizes, as custody decoded it. `label` is its position in the list; `isQuoted` marks a
 * value that the app supplied.
 */
export type ConfirmationAct = {
  label: string
  title: string
  facts: readonly { name: string; value: string; isQuoted?: true | undefined }[]
}

/** Request that an email link asks the user to decide on. Times are milliseconds since 1970. */
export type Confirmation = {
  kind: ConfirmationKind
  action: ConfirmationAction
  /** `passed-on`: the user has confirmed, and the owner of the new address must confirm next. */
  state: 'open' | 'passed-on' | 'confirmed' | 'refused' | 'failed' | 'expired'
  app: string
  organizationId: string
  /** E-mail address that the mail went to. */
  email: string
  requestedAtMs: number
  expiresAtMs: number
  /** EIP-55 address of the exported account, or else of the wallet's first account. */
  address?: string | undefined
  /** Name or address from the request, such as the name of a new passkey. */
  detail?: string | undefined
  /** Browser and system of the requester, from the `User-Agent` header. */
  requestedFrom?: string | undefined
  /** Secret that the page shows once the user confirms. */
  reveals?: RevealedSecret | undefined
  /** Secret that the user enters on the page. The page seals it to the key in `importBundle`, which custody signed. */
  takes?: RevealedSecret | undefined
  importBundle?: string | undefined
  /** Confirmed export, sealed to the page's key; erased after a few minutes. */
  exportBundle?: string | undefined
  /** Fingerprint of the key that receives a secret or gets access, see `formatKeyFingerprint`. */
  keyFingerprint?: string | undefined
  /**
   * Users and sign-in methods that already have access. Shown to the owner of a new address, who agrees to share it
   * with them.
   */
  openedBy?: string | undefined
  /** Actions that the requested signature authorizes, in order. */
  acts?: readonly ConfirmationAct[] | undefined
  /** SHA-256, in hex, of the canonical JSON of the actions that custody decoded. */
  intentHash?: string | undefined
  /** Operation under review that the page may have simulated; undefined for anything but one user operation. */
  predictable?: PredictableOperation | undefined
  /** Reason why a confirmed activity failed. */
  failure?: string | undefined
}

/**
 * User operation for `alchemy_simulateUserOperationAssetChanges` of the project's gateway. `apiKey` is the key of the
 * project's pages.
 */
export type PredictableOperation = {
  chainId: number
  entryPoint: Hex
  operation: {
    sender: Hex
    callData: Hex
    initCode?: Hex | undefined
    factory?: Hex | undefined
    factoryData?: Hex | undefined
  }
  apiKey: string
}

/** `secret` is the secret in the link's fragment: 32 bytes, base64url. */
export type ReadConfirmationRequest = { secret: string }
export type DecideConfirmationRequest = {
  secret: string
  decision: 'accept' | 'refuse' | 'end-sessions'
  /** Public key of the page, to which custody seals the revealed secret: uncompressed P-256 point, hex. */
  targetPublicKey?: string | undefined
  /** Secret that the user entered on the page, sealed to custody's key: JSON text, as in `import_wallet`. */
  encryptedBundle?: string | undefined
}
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
