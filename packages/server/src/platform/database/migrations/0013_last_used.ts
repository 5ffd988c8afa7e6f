import { type Kysely, sql } from 'kysely'

/** When a credential was last used, and links by which the owner of a new address agrees. */
const statements = [
  'alter table credentials add column last_used_at timestamptz',
  'alter table confirmations drop constraint confirmations_kind_check',
  `alter table confirmations add constraint confirmations_kind_check
    check (kind in ('confirm', 'prove', 'undo', 'keep'))`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
