import { type Kysely, sql } from 'kysely'

const statements = [
  'alter table wallets add column imported boolean not null default false',
  'alter table wallet_accounts add column name text',
  // Addresses are compared without case.
  'create index wallet_accounts_address on wallet_accounts(lower(address))',
  `create table private_keys (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    name text not null,
    sealed_key bytea not null,
    wrapped_key bytea not null,
    key_version integer not null,
    address text not null,
    public_key text not null,
    exported_at timestamptz,
    created_at timestamptz not null default now(),
    unique (org_id, address)
  )`,
  `create table import_targets (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    user_id uuid not null references users(id) on delete cascade,
    kind text not null check (kind in ('wallet', 'private_key')),
    sealed_key bytea not null,
    wrapped_key bytea not null,
    key_version integer not null,
    expires_at timestamptz not null,
    created_at timestamptz not null default now()
  )`,
  'create index import_targets_user on import_targets(user_id, kind, created_at)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
