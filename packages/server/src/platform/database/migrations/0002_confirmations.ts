import { type Kysely, sql } from 'kysely'

/**
 * Links of mails by which people confirm, undo or keep, and the time at which the keys of a deleted organization were
 * destroyed. Those of the last release were destroyed with its deletion.
 */
const statements = [
  `create table confirmations (
    id uuid primary key,
    kind text not null check (kind in ('confirm', 'undo', 'keep')),
    activity_id uuid not null references activities(id) on delete cascade,
    org_id uuid not null references organizations(id) on delete cascade,
    user_id uuid not null references users(id) on delete cascade,
    secret_hash bytea not null unique,
    details json not null,
    expires_at timestamptz not null,
    decided_at timestamptz,
    decision text,
    created_at timestamptz not null default now(),
    mac bytea not null
  )`,
  'create index confirmations_activity on confirmations(activity_id)',
  'create index confirmations_user on confirmations(user_id)',
  'create index confirmations_org on confirmations(org_id)',
  'create index confirmations_expires on confirmations(expires_at)',
  `create index activities_pending on activities(updated_at) where status = 'ACTIVITY_STATUS_PENDING'`,
  'alter table organizations add column destroyed_at timestamptz',
  'update organizations set destroyed_at = deleted_at where deleted_at is not null',
  'create index organizations_deleted on organizations(deleted_at) where deleted_at is not null and destroyed_at is null',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
