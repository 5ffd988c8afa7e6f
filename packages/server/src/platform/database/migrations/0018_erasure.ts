import { type Kysely, sql } from 'kysely'

/**
 * Erasure of what the log of activities says of a person. An entry of scheme 2 hashes a salted digest of its body and stamp, so that
 * a guess of them cannot be proven once they and the salt are erased; those of before hash the body's digest and the stamp.
 */
const statements = [
  'alter table activity_log add column scheme smallint not null default 1',
  'alter table activity_log add column salt bytea',
  // Of an erased entry: what its hash has in the place of what was erased.
  'alter table activity_log add column content_digest bytea',
  // The only change of an entry: its content gives way to its digest, where a later entry of the same chain is an erasure.
  `create or replace function refuse_log_change() returns trigger language plpgsql as $$
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
  // Its owner's table, also where its caller has another search path.
  `do $$ begin
    execute format('alter function refuse_log_change() set search_path = %I, pg_temp', current_schema());
  end $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
