import { type Kysely, sql } from 'kysely'

/**
 * What the console's pages read: counts of an overview, refusals, copies and chains, which no row holds, and two functions by which one person is
 * looked up without the right to read all.
 */
const statements = [
  // Takes the place of the list's index: an overview counts states and times without reading rows.
  `create index operations_newest on operations(created_at desc, user_op_hash desc)
    include (project_id, state, prepared_at, ended_at)`,
  'drop index operations_created',
  'create index users_parent on users(parent_org_id, created_at)',
  // Most webhooks are delivered, and most mails sent.
  'create index webhook_outbox_endpoint on webhook_outbox(project_id, endpoint, created_at desc, id desc)',
  `create index webhook_outbox_open on webhook_outbox(project_id, endpoint, state, created_at desc, id desc)
    where state <> 'delivered'`,
  'create index mail_outbox_newest on mail_outbox(created_at desc, id desc)',
  `create index mail_outbox_open on mail_outbox(state, created_at desc, id desc) where state <> 'sent'`,
  // Calls of a project that the gateway refused, by hour and error code; copies add to it now and then.
  `create table refusals (
    project_id text not null references projects(id),
    hour timestamptz not null,
    code text not null,
    count bigint not null,
    primary key (project_id, hour, code)
  )`,
  'create index refusals_hour on refusals(hour)',
  // Processes of the server, each with what it says of itself; and chains, as one of the gateways found them.
  `create table server_copies (
    id uuid primary key,
    roles text[] not null,
    version text not null,
    state jsonb not null,
    started_at timestamptz not null default latchkey_now(),
    seen_at timestamptz not null default latchkey_now()
  )`,
  'create index server_copies_seen on server_copies(seen_at)',
  `create table chain_states (
    chain_id bigint primary key,
    state jsonb not null,
    error text,
    error_at timestamptz,
    looked_at timestamptz not null default latchkey_now()
  )`,
  'create index users_address on users(lower(email)) where email is not null',
  'create index private_keys_address on private_keys(lower(address))',
  'create index smart_accounts_address on smart_accounts(address)',
  'create index smart_accounts_owner on smart_accounts(signer)',
  // Exact matches only: who may call it cannot list people.
  `create function find_organizations(wanted_email text, wanted_address text) returns setof uuid
    language sql stable security definer as $$
      select org_id from users where lower(email) = lower(wanted_email) and email is not null
      union select org_id from wallet_accounts where lower(address) = lower(wanted_address)
      union select org_id from private_keys where lower(address) = lower(wanted_address)
      union select owned.org_id from smart_accounts s join wallet_accounts owned on lower(owned.address) = s.signer
        where s.address = lower(wanted_address)
      limit 20
    $$`,
  // One person: no key, sealed or public, and nothing that custody signs with.
  `create function describe_organization(wanted uuid) returns jsonb language sql stable security definer as $$
    select jsonb_build_object(
      'id', o.id, 'parent_id', o.parent_id, 'name', o.name, 'created_at', o.created_at, 'deleted_at', o.deleted_at,
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
  // Their owner's rights must not meet tables of the caller's making.
  `do $$ begin
    execute format('alter function find_organizations(text, text) set search_path = %I, pg_temp', current_schema());
    execute format('alter function describe_organization(uuid) set search_path = %I, pg_temp', current_schema());
  end $$`,
  'revoke all on function find_organizations(text, text), describe_organization(uuid) from public',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
