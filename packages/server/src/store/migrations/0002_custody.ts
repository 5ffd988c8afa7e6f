import { type Kysely, sql } from 'kysely'
import { assertNoRows } from './assertNoRows.ts'

/**
 * Rows that custody trusts carry its MAC (`mac`; an empty one belongs to no row), what authorised an activity moves into
 * a log that refuses changes, and activities may wait for votes.
 */
const statements = [
  `alter table organizations
    add column root_quorum_threshold integer not null default 1 check (root_quorum_threshold > 0),
    add column deleted_at timestamptz,
    add column mac bytea not null default ''`,
  `alter table users add column mac bytea not null default ''`,
  `alter table credentials
    add column type text not null default 'CREDENTIAL_TYPE_API_KEY_P256',
    add column authenticated_at timestamptz`,
  `update credentials set type = case when kind = 'passkey' then 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
    when email_session then 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256' else type end`,
  `alter table projects add column mac bytea not null default ''`,
  `alter table activities
    drop column body,
    drop column stamp,
    add column threshold integer not null default 1,
    add column failure json,
    add column result_expires_at timestamptz`,
  'create index activities_org on activities(org_id, created_at, id)',
  'create index activities_result_expires on activities(result_expires_at) where result_expires_at is not null',
  // The empty text belongs to accounts from before, which cannot sign any more than their users can.
  `alter table wallet_accounts
    add column sealed_key bytea not null default '',
    add column wrapped_key bytea not null default '',
    add column key_version integer not null default 1`,
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

/** @throws ServerError `CONFIG_INVALID` where there are rows that nobody has vouched for */
export async function up(db: Kysely<unknown>): Promise<void> {
  await assertNoRows(db, 'organizations')
  for (const statement of statements) await sql.raw(statement).execute(db)
}
