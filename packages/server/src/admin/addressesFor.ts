import { operatorRoles } from 'latchkey-protocol/admin'
import type { Operator } from '../store/operators.ts'

/**
 * Returns a function that masks e-mail addresses in texts for viewers (`a***@example.com`); other roles see them in
 * full.
 */
export function addressesFor({ role }: Operator): (text: string) => string {
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf('operator') ? (text) => text : mask
}

function mask(text: string): string {
  const at = text.lastIndexOf('@')
  return `${at > 1 ? text.slice(0, 1) : ''}***${at < 0 ? '' : text.slice(at)}`
}
