/** Operators, their sessions and log, and console data. */
export const operators: readonly string[] = [
  // `row_mac` covers the row (`store/operators.ts`), so that database write access does not suffice to create an
  // operator.
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
  // `row_mac` of each row also covers the previous row.
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
  // `row_mac` covers all columns but `seen_at` (`store/operatorSessions.ts`), so that database write access does not
  // suffice to open a session.
  `create table operator_sessions (
    id uuid primary key,
    operator_id text not null,
    secret_hash bytea not null,
    challenge_hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    seen_at timestamptz not null,
    row_mac bytea not null
  )`,
  'create index operator_sessions_operator on operator_sessions(operator_id)',
  'create index operator_sessions_expires on operator_sessions(expires_at)',
  // Stores a request until a second operator stamps the same bytes. Custody trusts the stamps, not this table.
  `create table operator_requests (
    id uuid primary key,
    org_id uuid not null unique,
    operator_id text not null,
    body text not null,
    stamp text not null,
    created_at timestamptz not null
  )`,
  // Only the admin API may write it, so that no other role can restore tokens.
  'create unlogged table admin_limits (key text primary key, free_at timestamptz not null)',
  'create index admin_limits_free_at on admin_limits(free_at)',
  // State that server processes report about themselves, and that gateways report about chains.
  `create table server_copies (
    id uuid primary key,
    roles text[] not null,
    version text not null,
    state jsonb not null,
    started_at timestamptz not null default latchkey_now(),
    seen_at timestamptz not null default latchkey_now()
  )`,
  'create index server_copies_seen on server_copies(seen_at)',
  // Security events of all roles, for the console. Log lines contain more detail.
  `create table security_events (
    id bigint generated always as identity primary key,
    at timestamptz not null default latchkey_now(),
    roles text[] not null,
    event text not null,
    code text,
    path text,
    organization_id text,
    user_id text,
    request_id text,
    count bigint not null
  )`,
  'create index security_events_event on security_events(event, id)',
  'create index security_events_at on security_events(at)',
  // Exact matches only, so that callers cannot list users.
  `create function find_organizations(wanted_email text, wanted_address text) returns setof uuid
    language sql stable security definer as $$
      select org_id from users where lower(email) = lower(wanted_email) and email is not null
      union select org_id from wallet_accounts where lower(address) = lower(wanted_address)
      union select org_id from private_keys where lower(address) = lower(wanted_address)
      union select owned.org_id from smart_accounts s join wallet_accounts owned on lower(owned.address) = s.signer
        where s.address = lower(wanted_address)
      limit 20
    $$`,
  // One user: no key, sealed or public, and nothing that custody signs with.
  `create function describe_organization(wanted uuid) returns jsonb language sql stable security definer as $$
    select jsonb_build_object(
      'id', o.id, 'parent_id', o.parent_id, 'name', o.name, 'created_at', o.created_at, 'frozen_at', o.frozen_at, 'deleted_at', o.deleted_at,
      'destroyed_at', o.destroyed_at,
      'users', (select coalesce(jsonb_agg(to_jsonb(found)), '[]') from (
        select id, name, email, email_verified_at, created_at from users where org_id = o.id order by created_at, id limit 100
      ) as found),
      'credentials', (select coalesce(jsonb_agg(to_jsonb(found)), '[]') from (
        select id, user_id, kind, type, name, created_at, last_used_at, expires_at from credentials
        where org_id = o.id and revoked_at is null and (expires_at is null or expires_at > latchkey_now())
        order by created_at, id limit 200
      ) as found),
      'wallets', (select coalesce(jsonb_agg(to_jsonb(found)), '[]') from (
        select a.address, a.path, w.name, w.imported, w.exported_at, a.created_at
        from wallet_accounts a join wallets w on w.id = a.wallet_id where a.org_id = o.id order by a.created_at, a.id limit 1000
      ) as found),
      'private_keys', (select coalesce(jsonb_agg(to_jsonb(found)), '[]') from (
        select address, name, exported_at, created_at from private_keys where org_id = o.id order by created_at, id limit 100
      ) as found)
    ) from organizations o where o.id = wanted
  $$`,
]
