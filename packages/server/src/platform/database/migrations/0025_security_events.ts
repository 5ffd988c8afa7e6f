import { type Kysely, sql } from 'kysely'

/** What of security the roles note, for the console: the log lines and counters say more. */
const statements = [
  `create table security_events (
    id bigint generated always as identity primary key,
    at timestamptz not null default latchkey_now(),
    roles text[] not null,
    event text not null,
    code text,
    path text,
    organization_id text,
    user_id text,
    request_id text,
    count bigint not null
  )`,
  'create index security_events_event on security_events(event, id)',
  'create index security_events_at on security_events(at)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
