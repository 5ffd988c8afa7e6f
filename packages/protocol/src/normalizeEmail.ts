/** RFC 5321 § 4.5.3.1: 254 for a whole address in a mail command, 64 for the local part. */
const maxLength = 254
/** RFC 5322 dot-atom: no quotes, spaces, commas, angle brackets or comments, so no display name and no second address. */
const localPart = /^(?=.{1,64}$)[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** At least two labels; the last is not a number, so no IPv4 address. */
const domain = new RegExp(`^(?:${label}\\.)+(?!\\d+$)${label}$`)

/**
 * Returns the canonical form of an email address: trimmed, lower case, the domain in its ASCII form; undefined for
 * everything that is not exactly one plain address that mail can reach.
 */
export function normalizeEmail(text: string): string | undefined {
  if (text.length > 2 * maxLength) return undefined
  const [local = '', host = '', ...rest] = text.trim().toLowerCase().split('@')
  const asciiHost = toAsciiDomain(host)
  const email = `${local}@${asciiHost}`
  const isPlain = rest.length === 0 && localPart.test(local) && domain.test(asciiHost) && email.length <= maxLength
  return isPlain ? email : undefined
}

/** Returns a domain in its ASCII form (UTS #46), lower case; empty if it is no domain. */
export function toAsciiDomain(host: string): string {
  // A URL's parser would take these as its other parts, or decode or drop them.
  if (/[\s/?#:@\\%[\]<>,;"]/.test(host)) return ''
  // Browsers and servers have it alike, without a table of characters.
  const { URL } = globalThis as unknown as { URL: new (url: string) => { hostname: string } }
  try {
    return new URL(`http://${host}`).hostname
  } catch {
    return ''
  }
}
