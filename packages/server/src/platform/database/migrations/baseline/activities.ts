/** Tables of activities, votes and confirmations, and the append-only log. */
export const activities: readonly string[] = [
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
    created_at timestamptz not null default latchkey_now(),
    updated_at timestamptz not null default latchkey_now(),
    threshold integer not null default 1,
    failure json,
    result_expires_at timestamptz,
    mac bytea not null default '',
    unique (org_id, fingerprint)
  )`,
  'create index activities_org on activities(org_id, created_at, id)',
  'create index activities_result_expires on activities(result_expires_at) where result_expires_at is not null',
  `create index activities_pending on activities(updated_at) where status = 'ACTIVITY_STATUS_PENDING'`,
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
  // Entries of scheme 2 hash a salted digest of body and stamp. After body, stamp and salt are erased, guesses cannot
  // be verified. `content_digest`: for an erased entry, the digest that its hash covers instead of the content.
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
    scheme smallint not null default 1,
    salt bytea,
    content_digest bytea,
    primary key (org_id, seq)
  )`,
  `create table activity_log_heads (
    org_id uuid primary key,
    seq bigint not null,
    hash bytea not null,
    mac bytea not null
  )`,
  // The only allowed change replaces an entry's content by its digest, and requires a later erasure entry in the same
  // chain.
  `create function refuse_log_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if old.content_digest is null and new.body = '' and new.salt is null
          and new.stamp = (case when old.scheme = 1 then old.stamp else '' end)
          and new.content_digest = (case when old.scheme = 1 then sha256(old.body)
            else sha256(old.salt || sha256(old.body) || sha256(convert_to(old.stamp, 'UTF8'))) end)
          and (new.org_id, new.seq, new.activity_id, new.user_id, new.credential_id, new.credential_public_key, new.type,
              new.status, new.logged_at, new.previous_hash, new.hash, new.scheme)
            = (old.org_id, old.seq, old.activity_id, old.user_id, old.credential_id, old.credential_public_key, old.type,
              old.status, old.logged_at, old.previous_hash, old.hash, old.scheme)
          and exists (select from activity_log later where later.org_id = old.org_id and later.seq > old.seq
            and later.type = 'ACTIVITY_TYPE_ERASE_ACTIVITIES')
        then return new; end if;
      end if;
      raise exception 'activity_log is append-only';
    end $$`,
  `create trigger activity_log_append_only before update or delete on activity_log
    for each row execute function refuse_log_change()`,
  `create trigger activity_log_not_truncated before truncate on activity_log
    for each statement execute function refuse_log_change()`,
  // Links in e-mails that confirm an activity, prove an address, undo a change or cancel a deletion.
  `create table confirmations (
    id uuid primary key,
    kind text not null check (kind in ('confirm', 'prove', 'undo', 'keep')),
    activity_id uuid not null references activities(id) on delete cascade,
    org_id uuid not null references organizations(id) on delete cascade,
    user_id uuid not null references users(id) on delete cascade,
    secret_hash bytea not null unique,
    details json not null,
    expires_at timestamptz not null,
    decided_at timestamptz,
    decision text,
    created_at timestamptz not null default latchkey_now(),
    mac bytea not null
  )`,
  'create index confirmations_activity on confirmations(activity_id)',
  'create index confirmations_user on confirmations(user_id)',
  'create index confirmations_org on confirmations(org_id)',
  'create index confirmations_expires on confirmations(expires_at)',
]
