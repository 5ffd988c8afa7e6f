/** Time at which a user confirmed a new passkey by email. Only such passkeys confirm later requests. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table credentials add column confirmed_at timestamptz').execute(db)
}
