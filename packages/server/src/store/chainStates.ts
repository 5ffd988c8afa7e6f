import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'

const chainState = z.object({
  /** Null when no node reported it. */
  head: z.object({ number: z.string(), time: z.iso.datetime() }).nullable(),
  bundlerEntryPoints: z.array(z.string()).nullable(),
  paymasters: z.array(
    z.object({
      entryPoint: z.string(),
      paymaster: z.string(),
      /** Wei. */
      deposit: z.string(),
      /** Wei. */
      stake: z.string(),
      isStaked: z.boolean(),
    }),
  ),
})

/** State of a chain, as a gateway last observed it. */
export type ChainState = z.output<typeof chainState>

/** Stores the state of a chain. `error`: code of a failure. Does not erase code and time of the last failure. */
export async function noteChain(db: Db, chainId: number, state: ChainState, error: string | null): Promise<void> {
  const failed = { error, error_at: sql<Date>`latchkey_now()` }
  await db
    .insertInto('chain_states')
    .values({ chain_id: chainId, state: JSON.stringify(state), ...(error !== null && failed) })
    .onConflict((conflict) =>
      conflict.column('chain_id').doUpdateSet({
        state: JSON.stringify(state),
        looked_at: sql<Date>`latchkey_now()`,
        ...(error !== null && failed),
      }),
    )
    .execute()
}

/** Returns the chains that gateways check, by number, each with the last block whose entry point events were read. */
export async function listChains(db: Db) {
  const rows = await db.selectFrom('chain_states').selectAll().orderBy('chain_id').limit(1_000).execute()
  const cursors = await db
    .selectFrom('chain_cursors')
    .select(['chain_id', 'entry_point', 'block_number', 'block_time'])
    .orderBy('entry_point')
    .limit(10_000)
    .execute()
  return rows.map(({ state, ...row }) => ({
    ...row,
    ...chainState.parse(state),
    cursors: cursors.filter(({ chain_id }) => chain_id === row.chain_id),
  }))
}
