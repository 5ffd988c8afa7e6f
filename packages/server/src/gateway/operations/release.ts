import { type RawBuilder, sql } from 'kysely'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'

export declare namespace release {
  type Parameters = {
    chainId: number
    entryPoint: string
    /** Time of a confirmed block; all events up to it are settled. */
    scannedTo: Date
    /** Maximum reservations per call. @default 1000 */
    limit?: number | undefined
  }
  type ReturnType = {
    /** Number of closed reservations, whose signatures can no longer be used. */
    released: number
    /** Number of reservations reduced to the highest cost of their remaining signatures. */
    lowered: number
  }
}

/**
 * Ends signatures that have expired on the chain, and releases their reservations. A signature is valid in blocks with
 * a time up to its `validUntil`, so it expires once a later block was scanned.
 */
export async function release(db: Db, parameters: release.Parameters): Promise<release.ReturnType> {
  const { chainId, entryPoint, scannedTo, limit = 1_000 } = parameters
  return inTransaction(db, async (trx) => {
    // Locks the reservations first. A signature that is added concurrently waits, and then counts.
    const { rows } = await sql<Row>`
      with due as (
        select r.chain_id, r.entry_point, r.sender, r.nonce from reservations r
        where r.chain_id = ${chainId} and r.entry_point = ${entryPoint.toLowerCase()} and r.state = 'reserved'
          and exists (${overdue(scannedTo)})
        order by r.sender, r.nonce limit ${limit} for update of r
      )
      select * from due`.execute(trx)
    if (rows.length === 0) return { released: 0, lowered: 0 }
    const result = { released: 0, lowered: 0 }
    for (const row of rows)
      result[(await expireSignatures(trx, row, sql<boolean>`valid_until < ${scannedTo}`)) ? 'released' : 'lowered']++
    return result
  })
}

type Row = { chain_id: string; entry_point: string; sender: string; nonce: string }

const overdue = (scannedTo: Date) => sql`
  select from sponsorships s
  where s.chain_id = r.chain_id and s.entry_point = r.entry_point and s.sender = r.sender and s.nonce = r.nonce::text
    and s.state = 'signed' and s.paymaster is not null and s.valid_until < ${scannedTo}`

async function expireSignatures(trx: Db, key: Row, which: RawBuilder<boolean>): Promise<boolean> {
  await trx
    .updateTable('sponsorships')
    .set({ state: 'expired' })
    .where(isOperation(key, 'text'))
    .where('state', '=', 'signed')
    .where('paymaster', 'is not', null)
    .where(which)
    .execute()
  const { most } = await trx
    .selectFrom('sponsorships')
    .select(({ fn }) => fn.max('max_cost').as('most'))
    .where(isOperation(key, 'text'))
    .where('state', '=', 'signed')
    .where('paymaster', 'is not', null)
    .executeTakeFirstOrThrow()
  const isOver = most === null
  await trx
    .updateTable('reservations')
    .set({ ...(isOver ? { state: 'released' } : { amount: most }), updated_at: sql`latchkey_now()` })
    .where(isOperation(key, 'numeric'))
    .where('state', '=', 'reserved')
    .execute()
  return isOver
}

function isOperation({ chain_id, entry_point, sender, nonce }: Row, nonceType: 'numeric' | 'text') {
  const values = sql`${chain_id}::bigint, ${entry_point}, ${sender}, ${nonce}::${sql.raw(nonceType)}`
  return sql<boolean>`(chain_id, entry_point, sender, nonce) = (${values})`
}

/** Cancels a reservation whose signature was not created or never sent to a client. */
export async function withdraw(db: Db, id: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const signature = await trx
      .selectFrom('sponsorships')
      .select(['chain_id', 'entry_point', 'sender', 'nonce'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (!signature) return
    await trx.selectFrom('reservations').select('state').where(isOperation(signature, 'numeric')).forUpdate().execute()
    await expireSignatures(trx, signature, sql<boolean>`id = ${id}`)
  })
}
