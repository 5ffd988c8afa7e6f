import { sql } from 'kysely'
import type { OperationOutcome } from '../../platform/database/gatewayTables.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { Operation } from '../../store/operations.ts'

export declare namespace claimUnread {
  type Parameters = { chainId: number; limit: number }
}

/**
 * Returns included operations whose receipts have not been read yet, oldest first. Each is returned at most ten times.
 */
export async function claimUnread(db: Db, { chainId, limit }: claimUnread.Parameters): Promise<Operation[]> {
  return (
    db
      .updateTable('operations')
      .set({ outcome_tries: sql<number>`outcome_tries + 1` })
      // Inlined as a literal, so that the query matches the partial index.
      .where(
        sql<boolean>`user_op_hash = any(array(
        select user_op_hash from operations
        where chain_id = ${chainId} and state = 'included' and outcome_block is distinct from block_hash
          and outcome_tries < 10
        order by block_number limit ${limit} for update skip locked
      ))`,
      )
      .returningAll()
      .execute()
  )
}

export declare namespace writeOutcome {
  type Parameters = { userOpHash: string; blockHash: string; outcome: OperationOutcome }
}

/** Stores the outcome from a receipt, unless the operation has moved to another block. */
export async function writeOutcome(db: Db, { userOpHash, blockHash, outcome }: writeOutcome.Parameters): Promise<void> {
  await db
    .updateTable('operations')
    .set({ outcome: JSON.stringify(outcome), outcome_block: blockHash })
    .where('user_op_hash', '=', userOpHash)
    .where('block_hash', '=', blockHash)
    .execute()
}
