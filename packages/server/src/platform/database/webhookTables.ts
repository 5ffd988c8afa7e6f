import type { ColumnType, Generated } from 'kysely'
import type { WebhookType } from 'latchkey-protocol'

/** A webhook of one endpoint: sent until it is taken or has failed too often. */
export type WebhookTable = {
  id: Generated<string>
  project_id: string
  /** Id of the endpoint in the projects file, which says where it goes. */
  endpoint: string
  type: WebhookType
  /** What it is about: the same is sent to an endpoint once. */
  once: string
  /** Ids and figures, no secret. */
  data: ColumnType<Record<string, unknown>, string, never>
  state: Generated<'queued' | 'delivered' | 'dead'>
  tries: Generated<number>
  next_try_at: Generated<Date>
  /** A class, never what the receiver said. */
  failure: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

/** The last event of a project's operations that webhooks were made of. */
export type WebhookCursorTable = {
  project_id: string
  event_id: ColumnType<string, string, string>
}
