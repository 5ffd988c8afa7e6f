/**
 * The schema of the first release. Rows that custody trusts carry its MAC (`mac`; an empty one belongs to no row), and
 * what authorised an activity lies in a log that refuses changes.
 *
 * Later migrations expand and contract, since copies of the last release still run while one is applied:
 *
 * 1. Expand: add what is new (a table, a nullable column or one with a default, an index), so that the code of the last
 *    release runs on it unchanged. The new code writes both the old and the new form, and reads either.
 * 2. Move the rows, in batches, once no copy of the last release runs.
 * 3. Contract, a release later: drop what no code reads any more.
 *
 * A released migration is never edited. Each is a file `NNNN_name.ts` beside this one and a line in `migrate.ts`.
 */
import { type Kysely, sql } from 'kysely'

const organizations = [
  `create table organizations (
    id uuid primary key,
    parent_id uuid references organizations(id),
    name text not null,
    created_at timestamptz not null default now(),
    root_quorum_threshold integer not null default 1 check (root_quorum_threshold > 0),
    deleted_at timestamptz,
    mac bytea not null default ''
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
    mac bytea not null default '',
    email_claimed boolean not null default false,
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
    type text not null default 'CREDENTIAL_TYPE_API_KEY_P256',
    authenticated_at timestamptz,
    aaguid uuid,
    foreign key (user_id, org_id) references users(id, org_id) on delete cascade
  )`,
  'create index credentials_user on credentials(user_id)',
  'create index credentials_public_key on credentials(public_key)',
  `create unique index credentials_api_key on credentials(org_id, public_key) where kind = 'api_key'`,
  `create unique index credentials_passkey on credentials(credential_id) where kind = 'passkey'`,
  'create index credentials_expires on credentials(expires_at) where expires_at is not null',
]

const wallets = [
  `create table wallets (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    name text not null,
    sealed_entropy bytea not null,
    wrapped_key bytea not null,
    key_version integer not null,
    exported_at timestamptz,
    created_at timestamptz not null default now(),
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
    created_at timestamptz not null default now(),
    sealed_key bytea not null default '',
    wrapped_key bytea not null default '',
    key_version integer not null default 1,
    name text,
    mac bytea not null default '',
    unique (wallet_id, path),
    unique (org_id, address),
    foreign key (wallet_id, org_id) references wallets(id, org_id) on delete cascade
  )`,
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
    mac bytea not null default '',
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
  'create index import_targets_expires on import_targets(expires_at)',
  `create table key_material (
    name text primary key,
    wrapped bytea not null,
    created_at timestamptz not null default now()
  )`,
]

const activities = [
  `create table activities (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    fingerprint text not null,
    type text not null,
    status text not null,
    intent json not null,
    result json not null,
    user_id uuid not null,
    credential_id uuid not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    threshold integer not null default 1,
    failure json,
    result_expires_at timestamptz,
    mac bytea not null default '',
    unique (org_id, fingerprint)
  )`,
  'create index activities_org on activities(org_id, created_at, id)',
  'create index activities_result_expires on activities(result_expires_at) where result_expires_at is not null',
  `create table activity_votes (
    id uuid primary key,
    activity_id uuid not null references activities(id) on delete cascade,
    user_id uuid not null,
    selection text not null check (selection in ('VOTE_SELECTION_APPROVED', 'VOTE_SELECTION_REJECTED')),
    public_key text not null,
    signature text not null,
    scheme text not null,
    created_at timestamptz not null,
    mac bytea not null,
    unique (activity_id, user_id)
  )`,
  `create table activity_log (
    org_id uuid not null,
    seq bigint not null,
    activity_id uuid not null unique,
    user_id uuid not null,
    credential_id uuid not null,
    credential_public_key text not null,
    type text not null,
    status text not null,
    body bytea not null,
    stamp text not null,
    logged_at timestamptz not null,
    previous_hash bytea not null,
    hash bytea not null,
    primary key (org_id, seq)
  )`,
  `create table activity_log_heads (
    org_id uuid primary key,
    seq bigint not null,
    hash bytea not null,
    mac bytea not null
  )`,
  `create function refuse_log_change() returns trigger language plpgsql as $$
    begin raise exception 'activity_log is append-only'; end $$`,
  `create trigger activity_log_append_only before update or delete on activity_log
    for each row execute function refuse_log_change()`,
  `create trigger activity_log_not_truncated before truncate on activity_log
    for each statement execute function refuse_log_change()`,
]

const mails = [
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
    next_try_at timestamptz not null default now(),
    expires_at timestamptz not null,
    failure text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    check (state = 'queued' or payload_sealed is null)
  )`,
  `create index mail_outbox_queued on mail_outbox(created_at) where state = 'queued'`,
  'create index mail_outbox_activity on mail_outbox(activity_id)',
  'create index mail_outbox_user on mail_outbox(user_id, created_at)',
  // Deleting a credential searches the rows that name it.
  'create index mail_outbox_credential on mail_outbox(credential_id)',
  `create table mail_codes (
    id uuid primary key,
    org_id uuid not null references organizations(id) on delete cascade,
    user_id uuid not null references users(id) on delete cascade,
    credential_id uuid references credentials(id) on delete set null,
    target_public_key text not null,
    session_seconds integer not null,
    mac bytea not null,
    attempts integer not null default 0,
    expires_at timestamptz not null,
    spent_at timestamptz,
    created_at timestamptz not null default now()
  )`,
  'create index mail_codes_user on mail_codes(user_id, created_at)',
  'create index mail_codes_credential on mail_codes(credential_id)',
  `create table mail_cancellations (
    fingerprint text primary key,
    created_at timestamptz not null default now()
  )`,
]

const projects = [
  // No reference to organizations: custody makes them when it starts, perhaps after the project was registered.
  `create table projects (
    id text primary key,
    name text not null,
    api_key_hash bytea not null unique,
    redirect_urls text[] not null,
    allowed_origins text[] not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    organization_id uuid,
    logo_url text
  )`,
  // Unlogged: written with every request, and nothing is lost when a crash empties it.
  `create unlogged table rate_limits (
    key text primary key,
    free_at timestamptz not null
  )`,
  'create index rate_limits_free_at on rate_limits(free_at)',
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
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [organizations, wallets, activities, mails, projects].flat())
    await sql.raw(statement).execute(db)
}
