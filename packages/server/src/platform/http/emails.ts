import { normalizeEmail, toAsciiDomain } from 'latchkey-protocol'
import { ServerError } from '../errors/ServerError.ts'

/**
 * Returns the canonical form of an e-mail address.
 * @throws `INVALID_EMAIL` unless the text is exactly one plain address.
 */
export function requireEmail(text: string): string {
  const email = normalizeEmail(text)
  if (email === undefined) {
    throw new ServerError('Must provide a valid email.', { code: 'INVALID_EMAIL', status: 400 })
  }
  return email
}

/**
 * Returns an e-mail address as it is stored and looked up: trimmed, in its original case, and with the domain in ASCII
 * form. Text that is not an address is only trimmed.
 */
export function toStoredEmail(text: string): string {
  const email = text.trim()
  const at = email.lastIndexOf('@')
  const host = email.slice(at + 1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
  return /^[\u0000-\u007f]*$/.test(host) ? email : `${email.slice(0, at + 1)}${toAsciiDomain(host)}`
}

/**
 * Returns the mailbox that `name+alias@host` delivers to. For limits only, since `name+alias` and `name` are different
 * identities.
 */
export function toMailbox(email: string): string {
  return email.toLowerCase().replace(/\+[^@]*@/, '@')
}
