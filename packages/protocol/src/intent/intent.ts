import type { Grant } from './readGrant.ts'

/**
 * Kinds of acts that a signature can cause.
 *
 * - `transfer`: native currency; `token-transfer`: a token, at most `amount`.
 * - `approval`: lets `spender` take a token; `isUnlimited` if the amount has no practical bound.
 * - `call`: any other call of another contract; `deploy`: creates a contract.
 * - `owner-change`, `upgrade`, `module-change` and `session-key`: change who or what may sign for an account.
 * - `deferred-action`: lets an account change itself later. `delegation`: gives a key's address the code of `delegate`
 * (EIP-7702).
 * - `message`, `typed-data`: a signature for an application, without a known effect.
 */
export type IntentKind =
  | 'transfer'
  | 'token-transfer'
  | 'approval'
  | 'call'
  | 'deploy'
  | 'owner-change'
  | 'upgrade'
  | 'module-change'
  | 'session-key'
  | 'deferred-action'
  | 'delegation'
  | 'message'
  | 'typed-data'

/** Signing rules: one for each kind of act, and one for unlimited approvals. */
export const signingRules = [
  'transfer',
  'token-transfer',
  'approval',
  'unlimited-approval',
  'call',
  'deploy',
  'owner-change',
  'upgrade',
  'module-change',
  'session-key',
  'deferred-action',
  'delegation',
  'message',
  'typed-data',
] as const satisfies readonly (IntentKind | 'unlimited-approval')[]

export type SigningRule = (typeof signingRules)[number]

/**
 * One act. Addresses are in lower case; amounts are decimal, in the smallest unit. Members that are irrelevant for a
 * kind are absent.
 */
export type IntentAct = {
  kind: IntentKind
  /** Called contract, or recipient of native currency. */
  to?: string
  /** Native currency in wei. */
  value?: string
  /** First four bytes of the call's data. */
  selector?: string
  token?: string
  amount?: string
  /** Owner whose tokens a transfer takes, if the call specifies one. */
  from?: string
  recipient?: string
  spender?: string
  isUnlimited?: true
  ownersAdded?: readonly string[]
  ownersRemoved?: readonly string[]
  /** Public keys of passkeys that become owners: both coordinates, 64 bytes. */
  passkeysAdded?: readonly string[]
  implementation?: string
  /** Contract to which an EIP-7702 authorization delegates. */
  delegate?: string
  /** Plugin or validation module. */
  module?: string
  /** Permissions that a new validation grants to a key; undefined if they are unknown. */
  grant?: Grant
  /** Application of typed data: `name` of its domain. */
  application?: string
  primaryType?: string
  /** Text of a message. */
  text?: string
}

/** Acts that a payload causes once it is signed; or the reason why they cannot be read. */
export type Intent = { acts: readonly IntentAct[] } | { unread: string }

/**
 * Returns the canonical JSON of an intent. Its SHA-256 identifies the intent.
 *
 * @example
 * ```ts
 * import { toIntentJson } from 'latchkey-protocol'
 *
 * const json = toIntentJson({ acts: [{ kind: 'message', text: 'Hello' }] })
 * const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(json))
 * console.log(digest.byteLength)
 * ```
 */
export function toIntentJson(intent: Intent): string {
  return JSON.stringify('unread' in intent ? { unread: intent.unread } : { acts: intent.acts.map(sortMembers) })
}

function sortMembers(act: IntentAct): object {
  return Object.fromEntries(Object.entries(act).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Smallest amount of an unlimited approval: above the supply of any token, below all customary maximums. */
const unlimitedFrom = 2n ** 95n

/** Returns the members of an approval that depend on its amount. */
export function toApprovedAmount(amount: bigint): Pick<IntentAct, 'amount' | 'isUnlimited'> {
  return { amount: String(amount), ...(amount >= unlimitedFrom && { isUnlimited: true }) }
}
