import type { Selectable } from 'kysely'
import type { MailCodeTable } from '../../../store/tables.ts'
import { rowMac } from '../../rowMac.ts'

export type MailCodeIdentity = Omit<Selectable<MailCodeTable>, 'code_mac' | 'attempts' | 'spent_at' | 'created_at'>

/**
 * HMAC of a code together with all it is good for. Whoever reads the table cannot try codes out, and whoever writes to it
 * cannot have a code seal a session to another key, for another user or for longer.
 */
export function mailCodeMac(macKey: Uint8Array, row: MailCodeIdentity, code: string): Uint8Array {
  return rowMac(macKey, 'mail_codes', [
    row.id,
    row.org_id,
    row.user_id,
    row.credential_id,
    row.target_public_key,
    row.session_seconds,
    row.expires_at,
    code,
  ])
}
