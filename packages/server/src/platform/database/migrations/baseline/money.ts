/** Gas policies, and the ledger of the paymasters' open liabilities (`store/ledger`). */
export const money: readonly string[] = [
  // `version`: optimistic lock; an edit of an outdated version is refused.
  `create table gas_policies (
    project_id text not null references projects(id),
    id text not null,
    is_default boolean not null default false,
    paused boolean not null default false,
    rules jsonb not null default '{}',
    created_at timestamptz not null default latchkey_now(),
    updated_at timestamptz not null default latchkey_now(),
    version bigint not null default 1,
    changed_by text,
    declared boolean not null default false,
    primary key (project_id, id)
  )`,
  'create unique index gas_policies_default on gas_policies(project_id) where is_default',
  `create function count_policy_version() returns trigger language plpgsql as $$
    begin new.version := old.version + 1; return new; end $$`,
  `create trigger gas_policies_version before update on gas_policies for each row
    when ((old.rules, old.paused, old.is_default) is distinct from (new.rules, new.paused, new.is_default))
    execute function count_policy_version()`,
  // Signatures of paymasters.
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
    created_at timestamptz not null default latchkey_now(),
    paymaster text,
    caller_key text,
    caller_ip text,
    tip numeric(78, 0),
    raises smallint not null default 0,
    priced_at timestamptz not null default latchkey_now(),
    sent_at timestamptz
  )`,
  'create index sponsorships_policy on sponsorships(policy_id, created_at)',
  'create index sponsorships_sender on sponsorships(sender, created_at)',
  'create index sponsorships_operation on sponsorships(chain_id, entry_point, sender, nonce)',
  `create index sponsorships_signed on sponsorships(project_id, policy_id) where state = 'signed'`,
  `create index sponsorships_open_sender on sponsorships(chain_id, sender) where state = 'signed'`,
  `create index sponsorships_open_key on sponsorships(caller_key) where state = 'signed'`,
  `create index sponsorships_open_ip on sponsorships(caller_ip) where state = 'signed'`,
  'create index sponsorships_hash on sponsorships(user_op_hash)',
  // One row per operation. Project and policy are null if the paymaster paid without our reservation.
  `create table reservations (
    chain_id bigint not null,
    entry_point text not null,
    sender text not null,
    nonce numeric(78, 0) not null,
    state text not null check (state in ('reserved', 'released', 'settled')),
    amount numeric(78, 0) not null,
    valid_until timestamptz not null,
    paymaster text not null,
    project_id text references projects(id),
    policy_id text,
    caller_key text,
    caller_ip text,
    user_op_hash text,
    actual_cost numeric(78, 0),
    success boolean,
    block_number bigint,
    block_hash text,
    block_time timestamptz,
    transaction_hash text,
    log_index integer,
    created_at timestamptz not null default latchkey_now(),
    updated_at timestamptz not null default latchkey_now(),
    primary key (chain_id, entry_point, sender, nonce),
    check ((state = 'settled') = (actual_cost is not null and block_number is not null))
  )`,
  `create index reservations_paymaster on reservations(chain_id, entry_point, paymaster) where state = 'reserved'`,
  `create index reservations_valid_until on reservations(chain_id, entry_point, valid_until) where state = 'reserved'`,
  `create index reservations_block on reservations(chain_id, block_number) where state = 'settled'`,
  'create index reservations_policy on reservations(project_id, policy_id, created_at)',
  `create index reservations_spend on reservations(project_id, coalesce(block_time, updated_at))
    include (policy_id, chain_id, sender, state, amount, actual_cost)`,
  // Cost of settled operations: a row per day (UTC) and spender. See `PolicySpendTable`.
  `create table policy_spend (
    project_id text not null references projects(id),
    policy_id text not null,
    chain_id bigint not null,
    spender text not null,
    day date not null,
    count bigint not null,
    cost numeric(78, 0) not null,
    primary key (project_id, policy_id, chain_id, spender, day)
  )`,
  'create index policy_spend_spender on policy_spend(project_id, policy_id, spender)',
  `create index policy_spend_ip on policy_spend(day) where spender like 'ip:%'`,
]
