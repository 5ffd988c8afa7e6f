/** Waiting mails and their codes. */
export const mails: readonly string[] = [
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
    next_try_at timestamptz not null default latchkey_now(),
    expires_at timestamptz not null,
    failure text,
    created_at timestamptz not null default latchkey_now(),
    updated_at timestamptz not null default latchkey_now(),
    check (state = 'queued' or payload_sealed is null)
  )`,
  `create index mail_outbox_queued on mail_outbox(created_at) where state = 'queued'`,
  'create index mail_outbox_activity on mail_outbox(activity_id)',
  'create index mail_outbox_user on mail_outbox(user_id, created_at)',
  // Deleting a credential looks up the rows that reference it.
  'create index mail_outbox_credential on mail_outbox(credential_id)',
  'create index mail_outbox_newest on mail_outbox(created_at desc, id desc)',
  `create index mail_outbox_open on mail_outbox(state, created_at desc, id desc) where state <> 'sent'`,
  // `asker`, `digits`: requester and length of the code, which together determine the budget.
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
    created_at timestamptz not null default latchkey_now(),
    asker text,
    digits smallint,
    link_expires_at timestamptz
  )`,
  'create index mail_codes_user on mail_codes(user_id, created_at)',
  'create index mail_codes_credential on mail_codes(credential_id)',
  `create table mail_cancellations (
    fingerprint text primary key,
    created_at timestamptz not null default latchkey_now()
  )`,
  // Marks a mail as failed for a role that may not delete credentials.
  `create function fail_mail(mail uuid, reason text) returns boolean language plpgsql security definer as $$
    declare carried uuid;
    begin
      update mail_outbox set state = 'failed', failure = reason, payload_sealed = null, updated_at = latchkey_now()
        where id = mail and state = 'queued' returning credential_id into carried;
      if not found then return false; end if;
      if carried is not null then
        delete from mail_codes where credential_id = carried;
        delete from credentials where id = carried;
      end if;
      return true;
    end $$`,
  // Separate from `rate_limits`, since the signer API must not be able to restore guesses of a code.
  `create unlogged table custody_limits (
    key text primary key,
    free_at timestamptz not null
  )`,
  'create index custody_limits_free_at on custody_limits(free_at)',
]
