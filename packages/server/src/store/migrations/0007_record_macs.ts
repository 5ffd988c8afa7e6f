import { type Kysely, sql } from 'kysely'

/**
 * What is answered of activities and imported keys carries custody's MAC, too; the empty one belongs to no row. Projects need
 * none: custody has them from its configuration.
 */
const statements = [
  `alter table activities add column mac bytea not null default ''`,
  `alter table private_keys add column mac bytea not null default ''`,
  'alter table projects drop column mac',
  'alter table credentials add column aaguid uuid',
  'create index credentials_expires on credentials(expires_at) where expires_at is not null',
  'create index import_targets_expires on import_targets(expires_at)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
