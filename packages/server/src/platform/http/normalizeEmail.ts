import { domainToASCII } from 'node:url'
import { ServerError } from '../errors/ServerError.ts'

/** RFC 5321 § 4.5.3.1: 254 for a whole address in a mail command, 64 for the local part. */
const maxLength = 254
const maxLocalLength = 64
/** RFC 5322 dot-atom: no quotes, spaces, commas, angle brackets or comments, so no display name and no second address. */
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
/** At least two labels; the last is not a number, so no IPv4 address. */
const domain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export declare namespace normalizeEmail {
  type ErrorType = ServerError
}

/**
 * Returns the canonical form of an e-mail address: trimmed, lower case, the domain in its ASCII form (UTS #46).
 *
 * @throws `INVALID_EMAIL` for everything that is not exactly one plain address.
 */
export function normalizeEmail(email: string): string {
  if (email.length > 2 * maxLength) throw invalid()
  const [local = '', host = '', ...rest] = email.trim().toLowerCase().split('@')
  if (rest.length > 0 || local.length > maxLocalLength || !localPart.test(local)) throw invalid()
  // `domainToASCII` would drop a port or a path.
  if (/[\s/?#:\\%[\]<>,;"]/.test(host)) throw invalid()
  const asciiHost = domainToASCII(host)
  if (!domain.test(asciiHost)) throw invalid()
  const normalized = `${local}@${asciiHost}`
  if (normalized.length > maxLength) throw invalid()
  return normalized
}

/**
 * Returns an e-mail address as it is stored and looked up: trimmed, case kept, the domain in its ASCII form. Other text
 * is returned trimmed.
 */
export function toStoredEmail(text: string): string {
  const email = text.trim()
  const at = email.lastIndexOf('@')
  const host = email.slice(at + 1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
  return /^[\u0000-\u007f]*$/.test(host) ? email : `${email.slice(0, at + 1)}${domainToASCII(host)}`
}

/** Returns the mailbox that `name+alias@host` reaches. Use it for limits only: as identities the two differ. */
export function toMailbox(email: string): string {
  return email.toLowerCase().replace(/\+[^@]*@/, '@')
}

function invalid(): ServerError {
  return new ServerError('Must provide a valid email.', { code: 'INVALID_EMAIL', status: 400 })
}
