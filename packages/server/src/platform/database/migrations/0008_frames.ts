import { type Kysely, sql } from 'kysely'

/** Stamps of queries that name no time, each with its first use: a captured one is not taken without end. */
const statements = [
  `create table query_stamps (
    digest bytea primary key,
    credential_id uuid not null references credentials(id) on delete cascade,
    first_at timestamptz not null
  )`,
  'create index query_stamps_credential on query_stamps(credential_id)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
