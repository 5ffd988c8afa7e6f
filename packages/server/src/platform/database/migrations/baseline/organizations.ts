/** Organizations, their users, and their credentials. */
export const organizations: readonly string[] = [
  // `destroyed_at`: when the keys of a deleted organization were destroyed. `frozen_at`: when an operator froze the
  // account.
  `create table organizations (
    id uuid primary key,
    parent_id uuid references organizations(id),
    name text not null,
    created_at timestamptz not null default latchkey_now(),
    root_quorum_threshold integer not null default 1 check (root_quorum_threshold > 0),
    deleted_at timestamptz,
    mac bytea not null default '',
    destroyed_at timestamptz,
    frozen_at timestamptz
  )`,
  'create index organizations_parent on organizations(parent_id)',
  'create index organizations_deleted on organizations(deleted_at) where deleted_at is not null and destroyed_at is null',
  `create table users (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    parent_org_id uuid references organizations(id),
    name text not null,
    email text,
    email_verified_at timestamptz,
    created_at timestamptz not null default latchkey_now(),
    mac bytea not null default '',
    email_claimed boolean not null default false,
    unique (id, org_id)
  )`,
  'create index users_org on users(org_id)',
  'create unique index users_email on users(parent_org_id, lower(email)) where email is not null',
  'create index users_parent on users(parent_org_id, created_at)',
  'create index users_address on users(lower(email)) where email is not null',
  `create table credentials (
    id uuid primary key,
    user_id uuid not null,
    org_id uuid not null,
    kind text not null check (kind in ('api_key', 'passkey')),
    name text not null,
    public_key text not null,
    credential_id text,
    rp_id text,
    transports text[],
    counter bigint not null default 0,
    email_session boolean not null default false,
    expires_at timestamptz,
    revoked_at timestamptz,
    mac bytea not null,
    created_at timestamptz not null default latchkey_now(),
    type text not null default 'CREDENTIAL_TYPE_API_KEY_P256',
    authenticated_at timestamptz,
    aaguid uuid,
    last_used_at timestamptz,
    foreign key (user_id, org_id) references users(id, org_id) on delete cascade
  )`,
  'create index credentials_user on credentials(user_id)',
  'create index credentials_public_key on credentials(public_key)',
  `create unique index credentials_api_key on credentials(org_id, public_key) where kind = 'api_key'`,
  `create unique index credentials_passkey on credentials(credential_id) where kind = 'passkey'`,
  'create index credentials_expires on credentials(expires_at) where expires_at is not null',
  'create index credentials_org on credentials(org_id)',
  // Stamps of queries without a time, with their first use, to limit replays of a captured stamp.
  `create table query_stamps (
    digest bytea primary key,
    credential_id uuid not null references credentials(id) on delete cascade,
    first_at timestamptz not null
  )`,
  'create index query_stamps_credential on query_stamps(credential_id)',
]
