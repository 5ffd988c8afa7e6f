/**
 * One source of time: the database's clock, which a test world can set ahead (`worldClock.ts`). Columns that are filled by
 * default take it, too.
 */
import { type Kysely, sql } from 'kysely'

const statements = [
  // No row in production; one in a test world whose time was moved. Only the owner of the tables may write it.
  `create table world_clock (
    id boolean primary key default true check (id),
    ahead interval not null
  )`,
  // Its body is bound to the table now, not by the search path of its caller.
  `create function latchkey_now() returns timestamptz language sql stable parallel safe
    return now() + coalesce((select ahead from world_clock), interval '0')`,
  `do $$ declare found record; begin
    for found in
      select table_name, column_name from information_schema.columns
      where table_schema = current_schema() and column_default = 'now()' and table_name not like 'kysely%'
    loop
      execute format('alter table %I alter column %I set default latchkey_now()', found.table_name, found.column_name);
    end loop;
  end $$`,
  `create or replace function fail_mail(mail uuid, reason text) returns boolean language plpgsql security definer as $$
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
  // Replacing a function takes its search path away.
  `do $$ begin
    execute format('alter function fail_mail(uuid, text) set search_path = %I, pg_temp', current_schema());
  end $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
