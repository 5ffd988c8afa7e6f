import { type Kysely, sql } from 'kysely'

/** Sessions of operators who signed in to the console by passkey. */
const statements = [
  // `row_mac` covers all but `seen_at` (`store/operatorSessions.ts`): write access to the database opens no session.
  `create table operator_sessions (
    id uuid primary key,
    operator_id text not null,
    secret_hash bytea not null,
    challenge_hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    seen_at timestamptz not null,
    row_mac bytea not null
  )`,
  'create index operator_sessions_operator on operator_sessions(operator_id)',
  'create index operator_sessions_expires on operator_sessions(expires_at)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
