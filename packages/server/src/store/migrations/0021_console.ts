import { type Kysely, sql } from 'kysely'

/** What the console's pages read: counts of an overview, and refusals, which no row told of. */
const statements = [
  // Takes the place of the list's index: an overview counts states and times without reading rows.
  `create index operations_newest on operations(created_at desc, user_op_hash desc)
    include (project_id, state, prepared_at, ended_at)`,
  'drop index operations_created',
  'create index users_parent on users(parent_org_id, created_at)',
  // Most webhooks are delivered, and most mails sent.
  'create index webhook_outbox_endpoint on webhook_outbox(project_id, endpoint, created_at desc, id desc)',
  `create index webhook_outbox_open on webhook_outbox(project_id, endpoint, state, created_at desc, id desc)
    where state <> 'delivered'`,
  'create index mail_outbox_newest on mail_outbox(created_at desc, id desc)',
  `create index mail_outbox_open on mail_outbox(state, created_at desc, id desc) where state <> 'sent'`,
  // Calls of a project that the gateway refused, by hour and error code; copies add to it now and then.
  `create table refusals (
    project_id text not null references projects(id),
    hour timestamptz not null,
    code text not null,
    count bigint not null,
    primary key (project_id, hour, code)
  )`,
  'create index refusals_hour on refusals(hour)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
