import type { ConfirmationAction } from 'latchkey-protocol'
import type { z } from 'zod'
import type { NoticeKind } from '../keys/mailSeal.ts'
import type { Db } from '../platform/database/openStore.ts'
import type { Caller } from './credentials/findCaller.ts'
import type { CustodyContext } from './deps.ts'
import type { Organization } from './organizations/organization.ts'
import type { verifyStamp } from './stamps/verifyStamp.ts'

/** A request as it was sent: its stamp covers the exact bytes of the body. */
export type StampedRequest = {
  headers: Headers
  body: Uint8Array
  /** For log lines. */
  requestId: string | undefined
  /** Digest of the address that the signer API asks for; it alone is believed. */
  asker?: string | null | undefined
}

/** One `/submit/` call, which changes state: what it accepts, who may make it and what it does. */
export type ActivityDefinition<parameters = unknown> = {
  /** Accepted activity types with the keys of their `intent` and `result`. */
  types: Readonly<Record<string, { intent: string; result: string }>>
  parameters: z.ZodType<parameters>
  /** Throws unless the caller may do this in the organization. */
  authorize(context: CustodyContext, caller: Caller, organization: Organization): void
  /**
   * Needs a caller who has just authenticated, see `assertStepUp`.
   *
   * @default false
   */
  stepUp?: boolean
  /**
   * What of a request a person must confirm outside the page; undefined for a request that needs no confirmation. See
   * `findSubject` for whose requests go through without.
   */
  confirmation?(
    context: CustodyContext,
    request: ActivityExecution<parameters>,
  ): ConfirmationSubject | undefined | Promise<ConfirmationSubject | undefined>
  /** The address that the account gets, if it is a new one: its owner agrees by a mail to it before this is done. */
  newAddress?(context: CustodyContext, request: ActivityExecution<parameters>): Promise<string | undefined>
  /**
   * Waits for votes where the organization needs several. False for what concerns only the caller, such as their own
   * session.
   *
   * @default true
   */
  quorum?: boolean
  /**
   * The result holds a sealed secret: it is erased once the request can no longer be repeated.
   *
   * @default false
   */
  isResultTransient?: boolean
  /**
   * Only reads and computes, such as signing: it runs before it is recorded, which then takes a single statement and
   * holds no lock meanwhile. Copies of one request may each run; one is recorded and returned.
   *
   * @default false
   */
  isPure?: boolean
  /** The mail that reports it to the user. */
  notice?: NoticeKind
  /**
   * Also allowed in an organization that is being deleted.
   *
   * @default false
   */
  duringDeletion?: boolean
  /**
   * Also run for an organization that an operator froze: it refuses by itself, or says so by mail alone.
   *
   * @default false
   */
  duringFreeze?: boolean
  /** The parameter that is a secret: it is stored and shown empty. */
  secret?: string
  /**
   * For calls that carry their own proof instead of a stamp: returns the caller, or throws. Runs before and outside the
   * transaction, so that failed attempts can be counted, and not for a request that has run already.
   */
  authenticate?(context: CustodyContext, request: ActivityAuthentication<parameters>): Promise<Caller>
  /** The account that its result tells of, when it makes one. */
  readCreated?(result: Record<string, unknown>): { organizationId: string; userIds: readonly string[] }
  /** Runs inside the transaction that records it: all or nothing. Returns the result's content. */
  execute(context: CustodyContext, request: ActivityExecution<parameters>): Promise<Record<string, unknown>>
}

/** What a person is asked to confirm, in the request's own words. */
export type ConfirmationSubject = {
  action: ConfirmationAction
  /** Keys that receive a secret or get access: P-256 or secp256k1 points, hex. */
  publicKeys?: readonly { hex: string; isSecp256k1?: boolean }[] | undefined
  address?: string | undefined
  detail?: string | undefined
  /** A session of who stamps it: a passkey's stamp is a sign-in already. */
  isSignIn?: boolean | undefined
  /** Adds one passkey. */
  isPasskey?: boolean | undefined
}

export type ActivityAuthentication<parameters> = { organization: Organization; parameters: parameters; at: Date }

export type ActivityExecution<parameters> = {
  db: Db
  activityId: string
  caller: Caller
  organization: Organization
  parameters: parameters
  /** Whom the caller asks for, as a digest for budgets; null when the request does not say. */
  asker: string | null
  /** Undefined for calls that carry their own proof. */
  stamp: verifyStamp.ReturnType | undefined
  /**
   * The owner of the new address has agreed.
   *
   * @default false
   */
  isAgreed?: boolean
}

/** One `/query/` call, which only reads: what it accepts, who may make it and what it returns. */
export type QueryDefinition<parameters = unknown> = {
  /**
   * Also allowed in an organization that is being deleted.
   *
   * @default false
   */
  duringDeletion?: boolean
  /** Of the body without `organizationId`. */
  parameters: z.ZodType<parameters>
  /**
   * Returns who stamped the request, or throws.
   *
   * @default admit: a user of the organization or of its parent
   */
  authenticate?(context: CustodyContext, request: QueryAuthentication): Promise<Caller>
  /** Throws unless the caller may read this of the organization. */
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
  /** The body names the call and the time, which only clients of this server do. */
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
