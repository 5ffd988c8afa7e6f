import type { z } from 'zod'
import type { NoticeKind } from '../../keys/mailSeal.ts'
import type { Db } from '../../store/openStore.ts'
import type { Caller } from '../credentials/findCaller.ts'
import type { CustodyContext } from '../deps.ts'
import type { Organization } from '../organizations/findOrganization.ts'
import type { verifyStamp } from '../stamps/verifyStamp.ts'

/** One kind of state-changing call: what it accepts, who may make it and what it does. */
export type ActivityDefinition<parameters = unknown> = {
  /** Accepted activity types with the keys of their `intent` and `result`. */
  types: Readonly<Record<string, { intent: string; result: string }>>
  parameters: z.ZodType<parameters>
  /** Throws unless the caller may do this in the organization. */
  authorize(context: CustodyContext, caller: Caller, organization: Organization): void
  /** Only for those who have just proven to be there; see `assertStepUp`. @default false */
  stepUp?: boolean
  /**
   * Where an organization asks for several votes: waits for them. False for what only concerns the user who asks, such
   * as their own session. @default true
   */
  quorum?: boolean
  /** The result is erased once the request can no longer be repeated: it holds a sealed secret. @default false */
  isResultTransient?: boolean
  /**
   * Only reads and computes, such as signing: it is done before it is recorded, which then takes a single statement and
   * holds no lock meanwhile. Copies of one request may each do it; one is recorded and answered. @default false
   */
  isPure?: boolean
  /** What the user is told by mail once it is done. */
  notice?: NoticeKind
  /** The parameter that is a secret: it is kept and told empty. */
  secret?: string
  /**
   * For calls that carry their own proof instead of a stamp: who sends it, or throws. Runs before and outside the
   * transaction, so that failed attempts can be counted, and not for a request that was run before.
   */
  authenticate?(context: CustodyContext, request: ActivityAuthentication<parameters>): Promise<Caller>
  /** Does it, inside the transaction that records it: all or nothing. Answers the result's content. */
  execute(context: CustodyContext, request: ActivityExecution<parameters>): Promise<Record<string, unknown>>
}

export type ActivityAuthentication<parameters> = { organization: Organization; parameters: parameters; at: Date }

export type ActivityExecution<parameters> = {
  db: Db
  activityId: string
  caller: Caller
  organization: Organization
  parameters: parameters
  /** Undefined for calls that carry their own proof. */
  stamp: verifyStamp.ReturnType | undefined
}

/** Keeps the parameter type of a definition inferred from its schema, while a table of definitions stays uniform. */
export function defineActivity<parameters>(definition: ActivityDefinition<parameters>): ActivityDefinition {
  return definition as ActivityDefinition<unknown>
}
