/** Intents of the payloads that custody signed. Entries of scheme 3 cover it with their salted digest. */
import { type Kysely, sql } from 'kysely'

const statements = [
  `alter table activity_log add column intent text not null default ''`,
  // As before, and the intent is erased together with body, stamp and salt.
  `create or replace function refuse_log_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if old.content_digest is null and new.body = '' and new.salt is null and new.intent = ''
          and new.stamp = (case when old.scheme = 1 then old.stamp else '' end)
          and new.content_digest = (case when old.scheme = 1 then sha256(old.body)
            else sha256(old.salt || sha256(old.body) || sha256(convert_to(old.stamp, 'UTF8'))
              || case when old.scheme = 2 then ''::bytea else sha256(convert_to(old.intent, 'UTF8')) end) end)
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
  // Replacing a function resets its search path.
  `do $$ begin
    execute format('alter function refuse_log_change() set search_path = %I, pg_temp', current_schema());
  end $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
