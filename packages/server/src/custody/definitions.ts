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
  /** Digest of the client IP address that the signer API reports. Trusted only from the signer API. */
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
  /** Returns the account's new address, if any. The owner of that address must first agree by e-mail. */
  newAddress?(context: CustodyContext, request: ActivityExecution<parameters>): Promise<string | undefined>
  /**
   * Whether the activity waits for votes if the organization needs several. False for requests that concern only the
   * caller, such as their own session.
   * @default true
   */
  quorum?: boolean
  /**
   * Whether the result contains a sealed secret, which is erased once the request can no longer be repeated.
   * @default false
   */
  isResultTransient?: boolean
  /**
   * Whether the activity only reads and computes, such as signing. It then runs first, and a single statement without a
   * lock records it. Duplicates of a request may each run, but only one is recorded and returned.
   * @default false
   */
  isPure?: boolean
  /** Returns what the requested signature causes, for the audit log (see `toLoggedIntent`). */
  readLoggedIntent?(request: ActivityExecution<parameters>): Promise<string>
  /** Returns whether a pure activity counts against a limit, for which it needs a transaction. @default false */
  isCounted?(context: CustodyContext, request: ActivityExecution<parameters>): Promise<boolean>
  /** E-mail that reports the activity to the user. */
  notice?: NoticeKind
  /**
   * Whether the activity also runs in an organization that is being deleted.
   *
   * @default false
   */
  duringDeletion?: boolean
  /**
   * Whether the activity also runs in a frozen organization. Its own code then refuses the request, or reports the
   * freeze only by e-mail.
   * @default false
   */
  duringFreeze?: boolean
  /**
   * Whether scoped API keys may submit the activity.
   * @default false
   */
  forScopedKeys?: boolean
  /**
   * Whether the request may specify a parent organization. The activity then runs in the parent's only sub-organization
   * with the credential.
   * @default false
   */
  findsBelow?: boolean
  /** Name of a secret parameter, which is stored and shown empty. */
  secret?: string
  /**
   * Authenticates calls without a stamp by their own proof, such as a code. Returns the caller, or throws. Runs before
   * and outside the transaction, so that failed attempts are counted. Skipped for a request that has already run.
   */
  authenticate?(context: CustodyContext, request: ActivityAuthentication<parameters>): Promise<Caller>
  /**
   * Verifies parameters with the help of external servers, such as identity tokens; throws if they are invalid. Runs
   * once per request, before and outside the transaction that records it.
   */
  verify?(context: CustodyContext, request: ActivityVerification<parameters>): Promise<void>
  /** Returns the account that the activity created, if any. */
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
  /** Whether the request adds one passkey. */
  isPasskey?: boolean | undefined
  /** Acts that the requested signature authorizes, as custody read them, and their hash. */
  acts?: readonly ConfirmationAct[] | undefined
  intentHash?: string | undefined
  /** Secret in the result. Only the page on which the user confirms receives it. */
  reveals?: RevealedSecret | undefined
  /** Secret that the user enters on the page on which they confirm. The page seals it to custody's key. */
  takes?: RevealedSecret | undefined
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
  /** Digest of the IP address of the caller's client, for budgets; null if unknown. */
  asker: string | null
  /** Undefined for calls without a stamp. */
  stamp: verifyStamp.ReturnType | undefined
  /** Whether the user confirmed the activity by e-mail. @default false */
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
   * Whether the query is also allowed in an organization that is being deleted.
   *
   * @default false
   */
  duringDeletion?: boolean
  /**
   * Whether scoped API keys may run the query.
   * @default false
   */
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
  /** Whether the body contains the call and the time, as only this server's clients send it. */
  isBound: boolean
}

/** Checks a definition against its schema's parameters, and returns it with a type that all definitions share. */
export function defineActivity<parameters>(definition: ActivityDefinition<parameters>): ActivityDefinition {
  return definition as ActivityDefinition<unknown>
}

export function defineQuery<parameters>(definition: QueryDefinition<parameters>): QueryDefinition {
  return definition as QueryDefinition<unknown>
}
