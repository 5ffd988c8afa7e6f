/** Keys in custody, and import targets. */
export const wallets: readonly string[] = [
  `create table wallets (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    name text not null,
    sealed_entropy bytea not null,
    wrapped_key bytea not null,
    key_version integer not null,
    exported_at timestamptz,
    created_at timestamptz not null default latchkey_now(),
    imported boolean not null default false,
    unique (id, org_id)
  )`,
  'create index wallets_org on wallets(org_id)',
  `create table wallet_accounts (
    id uuid primary key,
    wallet_id uuid not null,
    org_id uuid not null,
    path text not null,
    address text not null,
    public_key text not null,
    created_at timestamptz not null default latchkey_now(),
    sealed_key bytea not null default '',
    wrapped_key bytea not null default '',
    key_version integer not null default 1,
    name text,
    mac bytea not null default '',
    unique (wallet_id, path),
    unique (org_id, address),
    foreign key (wallet_id, org_id) references wallets(id, org_id) on delete cascade
  )`,
  // Addresses are compared case-insensitively.
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
    created_at timestamptz not null default latchkey_now(),
    mac bytea not null default '',
    unique (org_id, address)
  )`,
  'create index private_keys_address on private_keys(lower(address))',
  `create table import_targets (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    user_id uuid not null references users(id) on delete cascade,
    kind text not null check (kind in ('wallet', 'private_key')),
    sealed_key bytea not null,
    wrapped_key bytea not null,
    key_version integer not null,
    expires_at timestamptz not null,
    created_at timestamptz not null default latchkey_now()
  )`,
  'create index import_targets_user on import_targets(user_id, kind, created_at)',
  'create index import_targets_expires on import_targets(expires_at)',
  `create table key_material (
    name text primary key,
    wrapped bytea not null,
    created_at timestamptz not null default latchkey_now()
  )`,
]
