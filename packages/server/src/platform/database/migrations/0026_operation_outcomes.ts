import { type Kysely, sql } from 'kysely'

/**
 * What the receipts of operations say, for the console: tokens that moved, and why a call reverted. `outcome_block`: the block whose
 * receipt it is, so that a reorganisation makes it due again.
 */
const statements = [
  'alter table operations add column outcome jsonb, add column outcome_block text',
  // The receipts of what is in the log already are not read.
  'alter table operations add column outcome_tries smallint not null default 10',
  'alter table operations alter column outcome_tries set default 0',
  `create index operations_unread on operations(chain_id, block_number)
    where state = 'included' and outcome_block is distinct from block_hash and outcome_tries < 10`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
