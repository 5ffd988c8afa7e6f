/** The operation log, its events, and each chain's read position. */
export const operations: readonly string[] = [
  // Addresses and hashes are lower case. Project null: an operation that our paymaster paid without a row. `outcome`:
  // data of the receipt (token transfers, revert reason). `outcome_block`: the receipt's block, so that a
  // reorganisation makes it due again.
  `create table operations (
    user_op_hash text primary key check (user_op_hash ~ '^0x[0-9a-f]{64}$'),
    project_id text references projects(id),
    policy_id text,
    chain_id bigint not null,
    entry_point text not null,
    sender text not null,
    nonce numeric(78, 0) not null,
    paymaster text,
    max_cost numeric(78, 0),
    valid_until timestamptz,
    state text not null check (
      state in ('prepared', 'signed', 'sent', 'seen', 'included', 'replaced', 'dropped', 'failed')
    ),
    request text,
    failure text,
    replaced_by text,
    prepared_at timestamptz,
    signed_at timestamptz,
    sent_at timestamptz,
    seen_at timestamptz,
    ended_at timestamptz,
    block_number bigint,
    block_hash text,
    block_time timestamptz,
    transaction_hash text,
    log_index integer,
    success boolean,
    actual_gas_used numeric(78, 0),
    actual_gas_cost numeric(78, 0),
    confirmed_at timestamptz,
    resends integer not null default 0,
    resend_at timestamptz,
    created_at timestamptz not null default latchkey_now(),
    updated_at timestamptz not null default latchkey_now(),
    outcome jsonb,
    outcome_block text,
    outcome_tries smallint not null default 0,
    check ((state in ('included', 'replaced')) = (block_number is not null and block_hash is not null)),
    check (state <> 'included' or actual_gas_cost is not null),
    check (state <> 'replaced' or replaced_by is not null)
  )`,
  'create index operations_project on operations(project_id, created_at desc, user_op_hash desc)',
  'create index operations_nonce on operations(chain_id, entry_point, sender, nonce)',
  'create index operations_block on operations(chain_id, entry_point, block_number) where confirmed_at is null',
  `create index operations_open on operations(chain_id, entry_point, valid_until)
    where state in ('prepared', 'signed', 'sent', 'seen')`,
  `create index operations_resend on operations(chain_id, resend_at) where state = 'seen'`,
  // Operator lists over all projects. Most operations end as included, so their lists use the index by time.
  'create index operations_sender on operations(sender, created_at desc, user_op_hash desc)',
  'create index operations_chain on operations(chain_id, created_at desc, user_op_hash desc)',
  'create index operations_policy on operations(project_id, policy_id, created_at desc, user_op_hash desc)',
  `create index operations_state on operations(state, created_at desc, user_op_hash desc) where state <> 'included'`,
  `create index operations_ended on operations(ended_at)
    where state in ('included', 'replaced', 'dropped', 'failed')`,
  // Lists a project's failed operations, newest first: few rows among many.
  `create index operations_failures on operations(project_id, state, created_at desc, user_op_hash desc)
    where state in ('replaced', 'dropped', 'failed')`,
  // Lets an overview count states and times without reading rows.
  `create index operations_newest on operations(created_at desc, user_op_hash desc)
    include (project_id, state, prepared_at, ended_at)`,
  `create index operations_unread on operations(chain_id, block_number)
    where state = 'included' and outcome_block is distinct from block_hash and outcome_tries < 10`,
  // Sorts the console's list of included operations by gas.
  `create index operations_gas on operations(project_id, actual_gas_used desc, user_op_hash desc)
    where state = 'included'`,
  // Changes in the order in which they become visible. Deleted after a week.
  `create table operation_events (
    id bigint generated always as identity primary key,
    project_id text not null,
    user_op_hash text not null,
    state text not null,
    confirmed boolean not null,
    block_number bigint,
    block_hash text,
    transaction_hash text,
    success boolean,
    actual_gas_cost numeric(78, 0),
    failure text,
    replaced_by text,
    created_at timestamptz not null default latchkey_now()
  )`,
  'create index operation_events_project on operation_events(project_id, id)',
  'create index operation_events_operation on operation_events(user_op_hash, id)',
  'create index operation_events_created on operation_events(created_at)',
  // Runs at commit. The lock makes a project's ids visible in order, so that a reader never misses an earlier event.
  `create function append_operation_event() returns trigger language plpgsql as $$
    begin
      if new.project_id is null then return null; end if;
      perform pg_advisory_xact_lock(4107006, hashtext(new.project_id));
      insert into operation_events (
        project_id, user_op_hash, state, confirmed, block_number, block_hash, transaction_hash, success, actual_gas_cost,
        failure, replaced_by
      ) values (
        new.project_id, new.user_op_hash, new.state, new.confirmed_at is not null, new.block_number, new.block_hash,
        new.transaction_hash, new.success, new.actual_gas_cost, new.failure, new.replaced_by
      );
      perform pg_notify('latchkey_operations', json_build_array(new.project_id, new.user_op_hash)::text);
      return null;
    end $$`,
  `create constraint trigger operations_inserted after insert on operations
    deferrable initially deferred for each row execute function append_operation_event()`,
  `create constraint trigger operations_changed after update on operations
    deferrable initially deferred for each row
    when (
      old.state is distinct from new.state
      or old.block_hash is distinct from new.block_hash
      or old.confirmed_at is distinct from new.confirmed_at
    )
    execute function append_operation_event()`,
  // Blocks up to this one are confirmed and read; later blocks are read again each time.
  `create table chain_cursors (
    chain_id bigint not null,
    entry_point text not null,
    block_number bigint not null,
    block_hash text not null,
    block_time timestamptz not null,
    updated_at timestamptz not null default latchkey_now(),
    primary key (chain_id, entry_point)
  )`,
  `create table chain_states (
    chain_id bigint primary key,
    state jsonb not null,
    error text,
    error_at timestamptz,
    looked_at timestamptz not null default latchkey_now()
  )`,
  // Call data of one operation, for a role that may not read the sent bytes, which contain signatures. Returns nothing
  // for bytes that are not JSON, since the sender chose them.
  `create function read_call_data(wanted text) returns text language plpgsql stable security definer as $$
    begin
      return (select request::json #>> '{0,callData}' from operations where user_op_hash = wanted);
    exception when others then
      return null;
    end
  $$`,
]
