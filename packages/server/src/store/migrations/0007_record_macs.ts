import { type Kysely, sql } from 'kysely'
import { assertNoRows } from './assertNoRows.ts'

/**
 * What is answered of activities and imported keys carries custody's MAC, too; the empty one belongs to no row. Projects need
 * none: custody has them from its configuration.
 */
const statements = [
  `alter table activities add column mac bytea not null default ''`,
  `alter table private_keys add column mac bytea not null default ''`,
  'alter table projects drop column mac',
  'alter table credentials add column aaguid uuid',
  // Of what names a credential: deleting one looks for them.
  'create index mail_codes_credential on mail_codes(credential_id)',
  'create index mail_outbox_credential on mail_outbox(credential_id)',
  'create index credentials_expires on credentials(expires_at) where expires_at is not null',
  'create index import_targets_expires on import_targets(expires_at)',
]

/** @throws ServerError `CONFIG_INVALID` where there are rows that nobody has vouched for */
export async function up(db: Kysely<unknown>): Promise<void> {
  await assertNoRows(db, 'activities')
  for (const statement of statements) await sql.raw(statement).execute(db)
}
