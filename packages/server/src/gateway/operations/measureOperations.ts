import { sql } from 'kysely'
import { formatEther } from 'viem'
import type { Db } from '../../platform/database/openStore.ts'
import { metrics } from '../../platform/observability/metrics.ts'
import { openStates } from '../../store/operations.ts'

const maxCounted = 10_000

/** Sets the gauges of the operation log and the ledger. Their values are the same on every replica. */
export async function measureOperations(db: Db): Promise<void> {
  const open = await sql<{ chain: string; state: string; count: number }>`
    select chain_id::text as chain, state, count(*)::integer as count
    from (select chain_id, state from operations where state in (${sql.join(openStates)}) limit ${maxCounted}) as open
    group by chain_id, state`.execute(db)
  metrics.operationsOpen.reset()
  for (const { chain, state, count } of open.rows) metrics.operationsOpen.set({ chain, state }, count)
  const reserved = await sql<{ chain: string; wei: string }>`
    select chain_id::text as chain, sum(amount)::text as wei from reservations where state = 'reserved'
    group by chain_id`.execute(db)
  metrics.sponsorshipReserved.reset()
  for (const { chain, wei } of reserved.rows)
    metrics.sponsorshipReserved.set({ chain }, Number(formatEther(BigInt(wei))))
}
