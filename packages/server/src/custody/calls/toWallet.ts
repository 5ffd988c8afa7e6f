import type { Selectable } from 'kysely'
import type { ListWalletsResponse } from 'latchkey/wire'
import type { WalletTable } from '../../store/tables.ts'
import { toTimestamp } from '../toTimestamp.ts'

/** Columns of a wallet that may be told. */
export const walletColumns = ['id', 'name', 'created_at', 'exported_at', 'imported'] as const

/** The Wallet object of custody protocol § 2.6. */
export function toWallet(
  row: Pick<Selectable<WalletTable>, (typeof walletColumns)[number]>,
): ListWalletsResponse['wallets'][number] {
  return {
    walletId: row.id,
    walletName: row.name,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.exported_at ?? row.created_at),
    exported: row.exported_at !== null,
    imported: row.imported,
  }
}
