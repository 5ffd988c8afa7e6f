const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/**
 * RFC 5321 § 4.5.3.1: 254 for a whole address in a mail command, 64 for the local part. RFC 5322 dot-atom: no quotes, spaces, commas, angle brackets or comments, so no display name and no second address.
 * At least two labels; the last is not a number, so no IPv4 address.
 */
const plain = new RegExp(`^(?!.{255}|.{65,}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+(?!\\d+$)${label}$`)

/**
 * Returns the canonical form of an email address: trimmed, lower case, with the domain in ASCII form. Returns undefined
 * for any text that is not exactly one plain, deliverable address.
 *
 * @example
 * ```ts
 * import { normalizeEmail } from 'latchkey-protocol'
 *
 * console.log(normalizeEmail(' Ada@Bücher.example ')) // ada@xn--bcher-kva.example
 * ```
 */
export function normalizeEmail(text: string): string | undefined {
  const [local = '', ...rest] = text.trim().toLowerCase().split('@')
  const email = `${local}@${toAsciiDomain(rest.join('@'))}`
  return plain.test(email) ? email : undefined
}

/** `URL` behaves the same in browsers and servers (WHATWG URL), so no character table is needed. */
declare const URL: new (url: string) => { hostname: string }

/**
 * Returns a domain in its ASCII form (UTS #46), lower case; empty if it is no domain.
 *
 * @example
 * ```ts
 * import { toAsciiDomain } from 'latchkey-protocol'
 *
 * console.log(toAsciiDomain('bücher.example')) // xn--bcher-kva.example
 * ```
 */
export function toAsciiDomain(host: string): string {
  try {
    // A URL parser would treat these characters as delimiters, decode them or drop them.
    return /[\s/?#:@\\%[\]<>,;"]/.test(host) ? '' : new URL(`http://${host}`).hostname
  } catch {
    return ''
  }
}
