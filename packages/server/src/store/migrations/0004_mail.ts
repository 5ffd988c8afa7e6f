import { type Kysely, sql } from 'kysely'

const statements = [
  // No reference: custody makes the organization when it starts, perhaps after the project was registered.
  'alter table projects add column organization_id uuid, add column logo_url text',
  // Unlogged: written with every request, and nothing is lost when a crash empties it.
  `create unlogged table rate_limits (
    key text primary key,
    free_at timestamptz not null
  )`,
  'create index rate_limits_free_at on rate_limits(free_at)',
  `create table mail_codes (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    user_id uuid not null references users(id) on delete cascade,
    credential_id uuid references credentials(id) on delete set null,
    target_public_key text not null,
    session_seconds integer not null,
    code_mac bytea not null,
    attempts integer not null default 0,
    expires_at timestamptz not null,
    spent_at timestamptz,
    created_at timestamptz not null default now()
  )`,
  'create index mail_codes_user on mail_codes(user_id, created_at)',
  'alter table mail_outbox rename column claimed_until to next_try_at',
  'update mail_outbox set next_try_at = now() where next_try_at is null',
  'alter table mail_outbox alter column next_try_at set default now(), alter column next_try_at set not null',
  `create table mail_cancellations (
    fingerprint text primary key,
    created_at timestamptz not null default now()
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
