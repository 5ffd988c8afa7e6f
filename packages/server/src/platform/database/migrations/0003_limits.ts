/**
 * What lets each role run under a database user of its own (`grants.ts`): a table of limits that custody alone writes,
 * and a function by which a mail is ended without the right to delete credentials.
 */
import { type Kysely, sql } from 'kysely'

const statements = [
  // Apart from `rate_limits`: the signer API must not give back guesses of a code.
  `create unlogged table custody_limits (
    key text primary key,
    free_at timestamptz not null
  )`,
  'create index custody_limits_free_at on custody_limits(free_at)',
  `create function fail_mail(mail uuid, reason text) returns boolean language plpgsql security definer as $$
    declare carried uuid;
    begin
      update mail_outbox set state = 'failed', failure = reason, payload_sealed = null, updated_at = now()
        where id = mail and state = 'queued' returning credential_id into carried;
      if not found then return false; end if;
      if carried is not null then
        delete from mail_codes where credential_id = carried;
        delete from credentials where id = carried;
      end if;
      return true;
    end $$`,
  // Its owner's rights must not meet tables of the caller's making.
  `do $$ begin
    execute format('alter function fail_mail(uuid, text) set search_path = %I, pg_temp', current_schema());
  end $$`,
  'revoke all on function fail_mail(uuid, text) from public',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
