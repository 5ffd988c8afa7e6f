import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import { isGenuine } from '../macs.ts'

/** A user of the other service, identified by the first address of their wallet there. */
type Move = { address: string; organizationId: string; at: string }

export declare namespace readMoves {
  type Parameters = {
    parentId: string
    /** First addresses of all wallets of the other service. */
    addresses: readonly string[]
  }
  type ReturnType = {
    moved: Move[]
    /** Users whose attempts failed and who have not moved yet, with the code of the last failure. */
    failed: (Move & { reason: string })[]
    /** Addresses of users who have not tried. */
    waiting: string[]
    /** Users who moved in although their addresses are not in the list. */
    unlisted: Move[]
  }
}

const types = ['ACTIVITY_TYPE_IMPORT_WALLET', 'ACTIVITY_TYPE_NOTE_MOVE_FAILURE']
const batchSize = 1_000

const intentSchema = z.union([
  z.object({ importWalletIntent: z.object({ movedAddress: z.string() }) }).transform(({ importWalletIntent }) => ({
    address: importWalletIntent.movedAddress,
    reason: undefined,
  })),
  z
    .object({ noteMoveFailureIntent: z.object({ address: z.string(), reason: z.string() }) })
    .transform(({ noteMoveFailureIntent }) => noteMoveFailureIntent),
])

/**
 * Returns which users of another service moved their wallet, whose attempts failed and why, and who has not tried.
 * Counts only activities that custody wrote: a move proves the key of its address, while a failure is reported by the
 * user's page.
 */
export async function readMoves(
  db: Db,
  macKey: Uint8Array,
  { parentId, addresses }: readMoves.Parameters,
): Promise<readMoves.ReturnType> {
  const moved = new Map<string, Move>()
  const failed = new Map<string, Move & { reason: string }>()
  for await (const row of selectMoves(db, parentId)) {
    const read = intentSchema.safeParse(row.intent)
    if (!read.success || row.status !== 'ACTIVITY_STATUS_COMPLETED' || !isGenuine(macKey, 'activities', row)) continue
    const { address, reason } = read.data
    const move = { address, organizationId: row.org_id, at: row.created_at.toISOString() }
    if (reason === undefined) moved.set(address.toLowerCase(), move)
    else failed.set(address.toLowerCase(), { ...move, reason })
  }
  const listed = new Set(addresses.map((address) => address.toLowerCase()))
  const pick = <found>(from: ReadonlyMap<string, found>) => [...listed].flatMap((address) => from.get(address) ?? [])
  return {
    moved: pick(moved),
    failed: pick(failed).filter(({ address }) => !moved.has(address.toLowerCase())),
    waiting: addresses.filter((address) => !moved.has(address.toLowerCase()) && !failed.has(address.toLowerCase())),
    unlisted: [...moved].flatMap(([address, move]) => (listed.has(address) ? [] : move)),
  }
}

/** Sorted oldest first, so that the last failure is reported. */
async function* selectMoves(db: Db, parentId: string) {
  for (let offset = 0; ; offset += batchSize) {
    const rows = await db
      .selectFrom('activities')
      .innerJoin('organizations', 'organizations.id', 'activities.org_id')
      .selectAll('activities')
      .where('organizations.parent_id', '=', parentId)
      .where('activities.type', 'in', types)
      .orderBy('activities.created_at')
      .orderBy('activities.id')
      .limit(batchSize)
      .offset(offset)
      .execute()
    yield* rows
    if (rows.length < batchSize) return
  }
}
