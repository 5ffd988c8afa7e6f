import { type Kysely, sql } from 'kysely'
import { ServerError } from '../../http/ServerError.ts'

/**
 * For a table whose rows carry custody's MAC from now on.
 *
 * @throws ServerError `CONFIG_INVALID` where there are rows that nobody has vouched for
 */
export async function assertNoRows(db: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
  if (rows.length === 0) return
  throw new ServerError(
    `This database is of a version whose ${table} carry no proof of who wrote them, so custody cannot trust them. ` +
      'Export its wallets with that version, then start with an empty database (`npm start -- --fresh` on a laptop).',
    { code: 'CONFIG_INVALID', status: 500 },
  )
}
