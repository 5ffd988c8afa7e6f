import type { ColumnType, Generated } from 'kysely'
import type { WebhookType } from 'latchkey-protocol'

/** A webhook of one endpoint: sent until delivered or failed too often. */
export type WebhookTable = {
  id: Generated<string>
  project_id: string
  /** Id of the endpoint in the projects file, which contains its URL. */
  endpoint: string
  type: WebhookType
  /** Deduplication key: an endpoint receives each event only once. */
  once: string
  /** Ids and numbers, no secrets. */
  data: ColumnType<Record<string, unknown>, string, never>
  state: Generated<'queued' | 'delivered' | 'dead'>
  tries: Generated<number>
  next_try_at: Generated<Date>
  /** Class of the failure, without the receiver's response. */
  failure: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

/** The last operation event of a project that webhooks were created for. */
export type WebhookCursorTable = {
  project_id: string
  event_id: ColumnType<string, string, string>
}
