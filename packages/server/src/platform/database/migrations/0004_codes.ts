/** Codes of sign-in mails that differ in length, and the budget each was mailed from. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null in rows of the first release: six digits, from no budget.
  await sql`alter table mail_codes add column asker text, add column digits smallint,
    add column link_expires_at timestamptz`.execute(db)
  await sql`alter table projects add column hides_accounts boolean not null default false`.execute(db)
}
