import { type Kysely, sql } from 'kysely'

/** What the console's pages read: counts of an overview, and refusals, which no row told of. */
const statements = [
  // Takes the place of the list's index: an overview counts states and times without reading rows.
  `create index operations_newest on operations(created_at desc, user_op_hash desc)
    include (project_id, state, prepared_at, ended_at)`,
  'drop index operations_created',
  'create index users_parent on users(parent_org_id, created_at)',
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
