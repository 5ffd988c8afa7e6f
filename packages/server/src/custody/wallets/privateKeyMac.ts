import type { Selectable } from 'kysely'
import type { PrivateKeyTable } from '../../store/tables.ts'
import { rowMac } from '../rowMac.ts'

type Key = Selectable<PrivateKeyTable>

/** MAC of an imported key: whose address it is, as `accountMac`. */
export function privateKeyMac(
  macKey: Uint8Array,
  row: Pick<Key, 'id' | 'org_id' | 'address' | 'public_key'>,
): Uint8Array {
  return rowMac(macKey, 'private_keys', [row.id, row.org_id, row.address, row.public_key])
}
