import { type Kysely, sql } from 'kysely'

/** Indexes for what grew beyond a page of a table. */
const statements = [
  // What an organization's owners may sign with.
  'create index credentials_org on credentials(org_id)',
  // What did not go well in one project, newest first: few rows among many.
  `create index operations_failures on operations(project_id, state, created_at desc, user_op_hash desc)
    where state in ('replaced', 'dropped', 'failed')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
