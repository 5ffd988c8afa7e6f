import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'

const chainState = z.object({
  /** Null: no node said it. */
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

/** How a gateway found a chain. */
export type ChainState = z.output<typeof chainState>

/** Keeps how a gateway found a chain. `error`: the code of what failed; the last one stays, with its time. */
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

/** Chains that gateways look at, by number, each with the blocks that its entry points' events are read up to. */
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
