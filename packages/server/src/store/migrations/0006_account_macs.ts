import { type Kysely, sql } from 'kysely'

/** What people are told to send money to carries custody's MAC; the empty one belongs to no account. */
const statements = [`alter table wallet_accounts add column mac bytea not null default ''`]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
