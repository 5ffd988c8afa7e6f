import type { Selectable } from 'kysely'
import type { UserTable } from '../../store/tables.ts'
import { rowMac } from '../rowMac.ts'

export type UserIdentity = Pick<
  Selectable<UserTable>,
  'id' | 'org_id' | 'parent_org_id' | 'email' | 'email_verified_at' | 'email_claimed'
>

/** MAC of a user: whose user it is, where their mail goes, and whether that address is proven or a claim. */
export function userMac(macKey: Uint8Array, row: UserIdentity): Uint8Array {
  return rowMac(macKey, 'users', [
    row.id,
    row.org_id,
    row.parent_org_id,
    row.email,
    row.email_verified_at,
    row.email_claimed,
  ])
}
