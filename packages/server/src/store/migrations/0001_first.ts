import { type Kysely, sql } from 'kysely'

const statements = [
  `create table organizations (
    id uuid primary key,
    parent_id uuid references organizations(id),
    name text not null,
    created_at timestamptz not null default now()
  )`,
  'create index organizations_parent on organizations(parent_id)',
  `create table users (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    parent_org_id uuid references organizations(id),
    name text not null,
    email text,
    email_verified_at timestamptz,
    created_at timestamptz not null default now(),
    unique (id, org_id)
  )`,
  'create index users_org on users(org_id)',
  'create unique index users_email on users(parent_org_id, lower(email)) where email is not null',
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
    created_at timestamptz not null default now(),
    foreign key (user_id, org_id) references users(id, org_id) on delete cascade
  )`,
  'create index credentials_user on credentials(user_id)',
  'create index credentials_public_key on credentials(public_key)',
  `create unique index credentials_api_key on credentials(org_id, public_key) where kind = 'api_key'`,
  `create unique index credentials_passkey on credentials(credential_id) where kind = 'passkey'`,
  `create table wallets (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    name text not null,
    sealed_entropy bytea not null,
    wrapped_key bytea not null,
    key_version integer not null,
    exported_at timestamptz,
    created_at timestamptz not null default now(),
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
    created_at timestamptz not null default now(),
    unique (wallet_id, path),
    unique (org_id, address),
    foreign key (wallet_id, org_id) references wallets(id, org_id) on delete cascade
  )`,
  `create table activities (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    fingerprint text not null,
    type text not null,
    status text not null,
    intent json not null,
    result json not null,
    body text not null,
    stamp text not null,
    user_id uuid not null,
    credential_id uuid not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (org_id, fingerprint)
  )`,
  `create table mail_outbox (
    id uuid primary key,
    activity_id uuid not null references activities(id) on delete cascade,
    org_id uuid not null references organizations(id) on delete cascade,
    user_id uuid not null references users(id) on delete cascade,
    credential_id uuid references credentials(id) on delete set null,
    template text not null,
    recipient text not null,
    payload_sealed bytea,
    state text not null check (state in ('queued', 'sent', 'failed')),
    tries integer not null default 0,
    claimed_until timestamptz,
    expires_at timestamptz not null,
    failure text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    check (state = 'queued' or payload_sealed is null)
  )`,
  `create index mail_outbox_queued on mail_outbox(created_at) where state = 'queued'`,
  'create index mail_outbox_activity on mail_outbox(activity_id)',
  'create index mail_outbox_user on mail_outbox(user_id, created_at)',
  `create table projects (
    id text primary key,
    name text not null,
    api_key_hash bytea not null unique,
    redirect_urls text[] not null,
    allowed_origins text[] not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create table sponsorships (
    id uuid primary key,
    project_id text not null references projects(id),
    policy_id text not null,
    chain_id bigint not null,
    entry_point text not null,
    sender text not null,
    nonce text not null,
    user_op_hash text,
    max_cost numeric(78, 0) not null,
    state text not null,
    valid_until timestamptz not null,
    created_at timestamptz not null default now()
  )`,
  'create index sponsorships_policy on sponsorships(policy_id, created_at)',
  'create index sponsorships_sender on sponsorships(sender, created_at)',
  `create table key_material (
    name text primary key,
    wrapped bytea not null,
    created_at timestamptz not null default now()
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
