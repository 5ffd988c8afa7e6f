import type { z } from 'zod'
import type { Db } from '../../store/openStore.ts'
import type { Caller } from '../credentials/findCaller.ts'
import type { CustodyContext } from '../deps.ts'
import type { Organization } from '../organizations/findOrganization.ts'

/** One kind of state-changing call: what it accepts, who may make it and what it does. */
export type ActivityDefinition<parameters = unknown> = {
  /** Accepted activity types with the keys of their `intent` and `result`. */
  types: Readonly<Record<string, { intent: string; result: string }>>
  parameters: z.ZodType<parameters>
  /** Throws unless the caller may do this in the organization. */
  authorize(context: CustodyContext, caller: Caller, organization: Organization): void
  /** Does it, inside the transaction that records it: all or nothing. Answers the result's content. */
  execute(context: CustodyContext, request: ActivityExecution<parameters>): Promise<Record<string, unknown>>
}

export type ActivityExecution<parameters> = {
  db: Db
  activityId: string
  caller: Caller
  organization: Organization
  parameters: parameters
}

/** Keeps the parameter type of a definition inferred from its schema, while a table of definitions stays uniform. */
export function defineActivity<parameters>(definition: ActivityDefinition<parameters>): ActivityDefinition {
  return definition as ActivityDefinition<unknown>
}
