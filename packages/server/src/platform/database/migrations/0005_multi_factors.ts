/** Second factors of users: a TOTP secret with its recovery codes. */
import { type Kysely, sql } from 'kysely'

const statements = [
  'alter table users add column factor_since timestamptz',
  `create table multi_factors (
    id uuid primary key,
    user_id uuid not null,
    org_id uuid not null,
    sealed_key bytea not null,
    wrapped_key bytea not null,
    key_version integer not null,
    last_step integer,
    recovery_codes text[] not null,
    activated_at timestamptz,
    created_at timestamptz not null default latchkey_now(),
    mac bytea not null,
    foreign key (user_id, org_id) references users(id, org_id) on delete cascade
  )`,
  'create index multi_factors_user on multi_factors(user_id)',
  'create index multi_factors_org on multi_factors(org_id)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
