import { type Kysely, sql } from 'kysely'

/** The order by gas of the console's list of operations, of those in a block. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index operations_gas on operations(project_id, actual_gas_used desc, user_op_hash desc)
    where state = 'included'`.execute(db)
}
