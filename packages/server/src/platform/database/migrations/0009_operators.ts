import { type Kysely, sql } from 'kysely'

/** Operators of the admin API with the log of what they did, versions of policies, and indexes of the admin API's lists. */
const statements = [
  // `row_mac` covers the row (`store/operators.ts`): who writes to the database makes no operator.
  `create table operators (
    id uuid primary key,
    name text not null,
    role text not null check (role in ('viewer', 'operator', 'admin')),
    secret_hash bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz,
    removed_at timestamptz,
    row_mac bytea not null
  )`,
  // Each row's `row_mac` covers the one before.
  `create table operator_log (
    seq bigint primary key,
    at timestamptz not null,
    operator_id text not null,
    operator_name text not null,
    role text not null,
    action text not null,
    project_id text,
    target text,
    outcome text not null check (outcome in ('done', 'refused')),
    code text,
    before_digest text,
    after_digest text,
    request_id text,
    row_mac bytea not null
  )`,
  'create index operator_log_project on operator_log(project_id, seq)',
  'create index operator_log_operator on operator_log(operator_id, seq)',
  `create function refuse_operator_log_change() returns trigger language plpgsql as $$
    begin raise exception 'The log of operators is append-only' using errcode = '42501'; end $$`,
  `create trigger operator_log_append_only before update or delete on operator_log
    for each row execute function refuse_operator_log_change()`,
  `create trigger operator_log_no_truncate before truncate on operator_log
    for each statement execute function refuse_operator_log_change()`,
  // Of the admin API alone: no other role returns tokens to it.
  'create unlogged table admin_limits (key text primary key, free_at timestamptz not null)',
  'create index admin_limits_free_at on admin_limits(free_at)',
  // Two who edit one policy: the later one sends the version that it read, and it is not that any more.
  `alter table gas_policies add column version bigint not null default 1, add column changed_by text,
    add column declared boolean not null default false`,
  `create function count_policy_version() returns trigger language plpgsql as $$
    begin new.version := old.version + 1; return new; end $$`,
  `create trigger gas_policies_version before update on gas_policies for each row
    when ((old.rules, old.paused, old.is_default) is distinct from (new.rules, new.paused, new.is_default))
    execute function count_policy_version()`,
  // Lists of an operator, over all projects. Most operations end as included: lists of those take the index by time.
  'create index operations_sender on operations(sender, created_at desc, user_op_hash desc)',
  'create index operations_chain on operations(chain_id, created_at desc, user_op_hash desc)',
  'create index operations_policy on operations(project_id, policy_id, created_at desc, user_op_hash desc)',
  `create index operations_state on operations(state, created_at desc, user_op_hash desc) where state <> 'included'`,
  `create index operations_ended on operations(ended_at)
    where state in ('included', 'replaced', 'dropped', 'failed')`,
  'create index api_keys_listed on api_keys(project_id, created_at, id)',
  `create index reservations_spend on reservations(project_id, coalesce(block_time, updated_at))
    include (policy_id, chain_id, sender, state, amount, actual_cost)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
