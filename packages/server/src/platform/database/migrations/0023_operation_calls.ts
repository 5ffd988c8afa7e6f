import { type Kysely, sql } from 'kysely'

/** Call data of one operation, for who may not read the bytes that were sent: they hold the account's and the paymaster's signature. */
const statements = [
  // Bytes that are not read as JSON are shown as none: their sender chose them.
  `create function read_call_data(wanted text) returns text language plpgsql stable security definer as $$
    begin
      return (select request::json #>> '{0,callData}' from operations where user_op_hash = wanted);
    exception when others then
      return null;
    end
  $$`,
  // Its owner's rights must not meet tables of the caller's making.
  `do $$ begin
    execute format('alter function read_call_data(text) set search_path = %I, pg_temp', current_schema());
  end $$`,
  'revoke all on function read_call_data(text) from public',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
