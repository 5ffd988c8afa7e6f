import { operatorRoles } from 'latchkey-protocol/admin'
import type { Operator } from '../store/operators.ts'

/** Returns how an operator sees e-mail addresses, and texts that may hold one: viewers get `a***@example.com`. */
export function addressesFor({ role }: Operator): (text: string) => string {
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf('operator') ? (text) => text : mask
}

/** Keeps enough to tell which mailbox service has trouble. */
function mask(text: string): string {
  const at = text.lastIndexOf('@')
  return `${at > 1 ? text.slice(0, 1) : ''}***${at < 0 ? '' : text.slice(at)}`
}
