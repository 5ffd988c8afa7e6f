import type { ConfirmationAct, ConfirmationAction, RevealedSecret } from 'latchkey-protocol'
import type { z } from 'zod'
import type { NoticeKind } from '../keys/mailSeal.ts'
import type { Db } from '../platform/database/openStore.ts'
import type { Caller } from './credentials/findCaller.ts'
import type { CustodyContext } from './deps.ts'
import type { Organization } from './organizations/organization.ts'
import type { verifyStamp } from './stamps/verifyStamp.ts'

/** A request as it was sent; its stamp covers the exact bytes of the body. */
export type StampedRequest = {
  headers: Headers
  body: Uint8Array
  /** For log lines. */
  requestId: string | undefined
  /** Digest of the client address that the signer API reports. Trusted only from the signer API. */
  asker?: string | null | undefined
}

/** Definition of a `/submit/` call, which changes state: its parameters, authorization and execution. */
export type ActivityDefinition<parameters = unknown> = {
  /** Accepted activity types with the keys of their `intent` and `result`. */
  types: Readonly<Record<string, { intent: string; result: string }>>
  parameters: z.ZodType<parameters>
  /** Throws unless the caller may execute the activity in the organization. */
  authorize(context: CustodyContext, caller: Caller, organization: Organization): void
  /**
   * Whether the caller must have just authenticated (see `assertStepUp`).
   * @default false
   */
  stepUp?: boolean
  /**
   * Returns what a user must confirm outside the page; undefined if no confirmation is needed. See `findSubject` for
   * the exemptions.
   */
  confirmation?(
    context: CustodyContext,
    request: ActivityExecution<parameters>,
  ): ConfirmationSubject | undefined | Promise<ConfirmationSubject | undefined>
  /** Returns the account's new address, if any. Its owner must first agree through an e-mail. */
  newAddress?(context: CustodyContext, request: ActivityExecution<parameters>): Promise<string | undefined>
  /**
   * Whether it waits for votes if the organization needs several. False for requests that concern only the caller, such
   * as their own session.
   * @default true
   */
  quorum?: boolean
  /**
   * Whether the result holds a sealed secret, which is erased once the request can no longer be repeated.
   * @default false
   */
  isResultTransient?: boolean
  /**
   * Whether it only reads and computes, such as signing. It then runs before it is recorded, which takes a single
   * statement and no lock. Duplicates of a request may each run, but only one is recorded and returned.
   * @default false
   */
  isPure?: boolean
  /** Returns whether a pure activity counts against a limit, for which it needs a transaction. @default false */
  isCounted?(context: CustodyContext, request: ActivityExecution<parameters>): Promise<boolean>
  /** E-mail that reports the activity to the user. */
  notice?: NoticeKind
  /**
   * Also allowed in an organization that is being deleted.
   *
   * @default false
   */
  duringDeletion?: boolean
  /**
   * Whether it also runs for a frozen organization: it refuses by itself, or reports the freeze only by e-mail.
   * @default false
   * @default false
   */
  duringFreeze?: boolean
  /** Whether API keys with a scope may do it. @default false */
  forScopedKeys?: boolean
  /**
   * Whether the request may name a parent. It then runs in the parent's only sub-organization that holds the credential.
   * @default false
   */
  findsBelow?: boolean
  /** Name of a secret parameter, which is stored and shown empty. */
  secret?: string
  /**
   * Authenticates calls that carry their own proof instead of a stamp. Returns the caller, or throws. Runs before the
   * transaction and outside it, so that failed attempts are counted; skipped for a request that has already run.
   */
  authenticate?(context: CustodyContext, request: ActivityAuthentication<parameters>): Promise<Caller>
  /**
   * Verifies what the parameters claim with the help of others' servers, or throws. Runs before and outside the
   * transaction, once for a request: what is recorded has passed it.
   */
  verify?(context: CustodyContext, request: ActivityVerification<parameters>): Promise<void>
  /** Returns the account that its result created, if any. */
  readCreated?(result: Record<string, unknown>): { organizationId: string; userIds: readonly string[] }
  /**
   * Executes the activity inside the transaction that records it, so that either both happen or neither. Returns the
   * result's content.
   */
  execute(context: CustodyContext, request: ActivityExecution<parameters>): Promise<Record<string, unknown>>
}

/** Description of a request that a user must confirm. */
export type ConfirmationSubject = {
  action: ConfirmationAction
  /** Keys that receive a secret or get access: P-256 or secp256k1 points, hex. */
  publicKeys?: readonly { hex: string; isSecp256k1?: boolean }[] | undefined
  address?: string | undefined
  detail?: string | undefined
  /**
   * Whether the request starts a session of the stamping credential. A passkey then needs no confirmation, since its
   * stamp is already a sign-in.
   */
  isSignIn?: boolean | undefined
  /** Adds one passkey. */
  isPasskey?: boolean | undefined
  /** Acts of a signature, and the hash of what custody read. */
  acts?: readonly ConfirmationAct[] | undefined
  intentHash?: string | undefined
  /** Secret in the result, which goes only to the page on which the user confirms. */
  reveals?: RevealedSecret | undefined
  /**
   * Whether even a passkey needs the confirmation, because its prompt does not show what is signed or exported.
   * @default false
   */
  isAlwaysAsked?: boolean | undefined
}

export type ActivityAuthentication<parameters> = { organization: Organization; parameters: parameters; at: Date }

export type ActivityVerification<parameters> = { caller: Caller; organization: Organization; parameters: parameters }

export type ActivityExecution<parameters> = {
  db: Db
  activityId: string
  caller: Caller
  organization: Organization
  parameters: parameters
  /** Digest of the client address that the caller acts for, for budgets; null if unknown. */
  asker: string | null
  /** Undefined for calls that carry their own proof. */
  stamp: verifyStamp.ReturnType | undefined
  /**
   * Whether the user confirmed it by email.
   * @default false
   */
  isConfirmed?: boolean
  /**
   * Whether the owner of the new address has agreed.
   * @default false
   */
  isAgreed?: boolean
}

/** Definition of a `/query/` call, which only reads: its parameters, authorization and result. */
export type QueryDefinition<parameters = unknown> = {
  /**
   * Also allowed in an organization that is being deleted.
   *
   * @default false
   */
  duringDeletion?: boolean
  /** Whether API keys with a scope may read it. @default false */
  forScopedKeys?: boolean
  /** Parameters of the body without `organizationId`. */
  parameters: z.ZodType<parameters>
  /**
   * Returns the stamping caller, or throws.
   *
   * @default admit: a user of the organization or of its parent
   */
  authenticate?(context: CustodyContext, request: QueryAuthentication): Promise<Caller>
  /** Throws unless the caller may read this from the organization. */
  authorize(context: CustodyContext, caller: Caller, organization: Organization): void
  /** Returns the response's body. */
  run(context: CustodyContext, request: QueryExecution<parameters>): Promise<object>
}

export type QueryAuthentication = { stamp: verifyStamp.ReturnType; organization: Organization }

export type QueryExecution<parameters> = {
  caller: Caller
  organization: Organization
  parameters: parameters
  /** Undefined for a read-only session. */
  stamp: verifyStamp.ReturnType | undefined
  /** Whether the body names the call and the time, as only this server's clients do. */
  isBound: boolean
}

/** Infers an activity's parameters from its schema, while a table of definitions stays uniform. */
export function defineActivity<parameters>(definition: ActivityDefinition<parameters>): ActivityDefinition {
  return definition as ActivityDefinition<unknown>
}

/** {@link defineActivity} for queries. */
export function defineQuery<parameters>(definition: QueryDefinition<parameters>): QueryDefinition {
  return definition as QueryDefinition<unknown>
}
