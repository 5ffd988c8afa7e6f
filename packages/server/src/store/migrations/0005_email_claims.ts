import { type Kysely, sql } from 'kysely'

/** Tells an address that a user named from one they signed up with: until it is proven, others may have it. */
const statements = ['alter table users add column email_claimed boolean not null default false']

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
