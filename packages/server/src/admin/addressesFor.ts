import { operatorRoles } from 'latchkey-protocol/admin'
import type { Operator } from '../store/operators.ts'

/** How an operator sees addresses of mails, and texts that may hold one: viewers as `a***@example.com`. */
export function addressesFor({ role }: Operator): (text: string) => string {
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf('operator') ? (text) => text : mask
}

/** Enough to tell which mailbox service has trouble. */
function mask(text: string): string {
  const at = text.lastIndexOf('@')
  return `${at > 1 ? text.slice(0, 1) : ''}***${at < 0 ? '' : text.slice(at)}`
}
