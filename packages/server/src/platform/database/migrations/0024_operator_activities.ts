import { type Kysely, sql } from 'kysely'

/** Accounts that operators froze, and deletions that wait for a second operator. */
const statements = [
  'alter table organizations add column frozen_at timestamptz',
  // What custody is asked for once a second operator has stamped the same bytes: it believes the stamps, not this table.
  `create table operator_requests (
    id uuid primary key,
    org_id uuid not null unique,
    operator_id text not null,
    body text not null,
    stamp text not null,
    created_at timestamptz not null
  )`,
  // The same function (migration 0021) with one name more.
  `do $$ begin
    execute replace(
      pg_get_functiondef('describe_organization(uuid)'::regprocedure),
      '''deleted_at'', o.deleted_at', '''frozen_at'', o.frozen_at, ''deleted_at'', o.deleted_at'
    );
  end $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
