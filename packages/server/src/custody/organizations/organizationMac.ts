import type { Selectable } from 'kysely'
import type { OrganizationTable } from '../../store/tables.ts'
import { rowMac } from '../rowMac.ts'

export type OrganizationIdentity = Pick<
  Selectable<OrganizationTable>,
  'id' | 'parent_id' | 'root_quorum_threshold' | 'deleted_at'
>

/** MAC of an organization: whose it is, how many of its users must agree, and whether it is gone. */
export function organizationMac(macKey: Uint8Array, row: OrganizationIdentity): Uint8Array {
  return rowMac(macKey, 'organizations', [row.id, row.parent_id, row.root_quorum_threshold, row.deleted_at])
}
