import type { Selectable } from 'kysely'
import type { WalletAccountTable } from '../../store/tables.ts'
import { rowMac } from '../rowMac.ts'

type Account = Selectable<WalletAccountTable>

/** MAC of a wallet account: whose address it is. Whoever can only write to the database has nobody pay to another one. */
export function accountMac(
  macKey: Uint8Array,
  row: Pick<Account, 'id' | 'org_id' | 'wallet_id' | 'path' | 'address' | 'public_key'>,
): Uint8Array {
  return rowMac(macKey, 'wallet_accounts', [row.id, row.org_id, row.wallet_id, row.path, row.address, row.public_key])
}
