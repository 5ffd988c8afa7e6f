/** Projects, their API keys, and rate limits. */
export const projects: readonly string[] = [
  // Does not reference organizations, since custody creates them at its start, perhaps after the project was
  // registered.
  `create table projects (
    id text primary key,
    name text not null,
    api_key_hash bytea not null unique,
    redirect_urls text[] not null,
    allowed_origins text[] not null,
    created_at timestamptz not null default latchkey_now(),
    updated_at timestamptz not null default latchkey_now(),
    organization_id uuid,
    logo_url text,
    hides_accounts boolean not null default false
  )`,
  // A null list allows everything the project may do.
  `create table api_keys (
    id uuid primary key,
    project_id text not null references projects(id),
    name text not null,
    key_hash bytea not null unique,
    key_start text not null,
    chains bigint[],
    origins text[],
    methods text[],
    requests_per_minute integer check (requests_per_minute > 0),
    units_per_minute integer check (units_per_minute > 0),
    revoked_at timestamptz,
    created_at timestamptz not null default latchkey_now(),
    updated_at timestamptz not null default latchkey_now()
  )`,
  'create index api_keys_project on api_keys(project_id)',
  'create index api_keys_listed on api_keys(project_id, created_at, id)',
  // Unlogged, since it is written with every request and losing it in a crash does no harm.
  `create unlogged table rate_limits (
    key text primary key,
    free_at timestamptz not null
  )`,
  'create index rate_limits_free_at on rate_limits(free_at)',
  // Separate from `rate_limits`, since the gateway must not be able to restore mail tokens.
  `create unlogged table gateway_limits (
    key text primary key,
    free_at timestamptz not null
  )`,
  'create index gateway_limits_free_at on gateway_limits(free_at)',
  // Calls of a project that the gateway refused, by hour and error code; replicas add to it periodically.
  `create table refusals (
    project_id text not null references projects(id),
    hour timestamptz not null,
    code text not null,
    count bigint not null,
    primary key (project_id, hour, code)
  )`,
  'create index refusals_hour on refusals(hour)',
  // Accounts requested by clients of the wallet API: their parameters cannot be derived from the address.
  `create table smart_accounts (
    id uuid primary key,
    project_id text not null references projects(id),
    signer text not null,
    address text not null,
    factory_type text not null,
    owners text[] not null,
    salt numeric(78, 0) not null,
    created_at timestamptz not null default latchkey_now(),
    unique (project_id, address)
  )`,
  // Permissions that wallet_createSession planned. Only the client stores the owner's signature.
  `create table wallet_sessions (
    id uuid primary key,
    project_id text not null references projects(id),
    address text not null,
    chain_id bigint not null,
    entity_id integer not null,
    is_global boolean not null,
    has_execution_hooks boolean not null,
    install_call text not null,
    deadline bigint not null,
    created_at timestamptz not null default latchkey_now()
  )`,
  'create index smart_accounts_signer on smart_accounts(project_id, signer, created_at, id)',
  'create index smart_accounts_address on smart_accounts(address)',
  'create index smart_accounts_owner on smart_accounts(signer)',
]
