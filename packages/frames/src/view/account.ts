import type { BundleAccount } from 'latchkey-protocol'

/** The account of a signed bundle. */
export type Account = Partial<BundleAccount> & { organizationId: string }

/** Returns the account in a signed bundle's data, whose `organizationId` was checked. */
export function readAccount(signed: Readonly<Record<string, unknown>>, organizationId: string): Account {
  const { userId, email, address } = signed
  return {
    organizationId,
    ...(typeof userId === 'string' && { userId }),
    ...(typeof email === 'string' && { email: toAscii(email) }),
    ...(typeof address === 'string' && { address: toAscii(address) }),
  }
}

/** Shows the account in each of the page's places for it. */
export function showAccount({ email, address, userId, organizationId }: Account): void {
  const lines = [email, address].filter((line) => line !== undefined)
  // The bundle is from an older signing service, or the user has neither address.
  if (lines.length === 0) lines.push(`User ${userId ?? 'unknown'} of organization ${organizationId}`)
  for (const place of document.querySelectorAll('.account'))
    place.replaceChildren(
      ...lines.map((line) => {
        const span = document.createElement('span')
        span.textContent = line
        return span
      }),
    )
}

/**
 * Replaces letters of other scripts, which can look like Latin ones or change the text direction, by their code points.
 */
function toAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => `{U+${character.codePointAt(0)?.toString(16).toUpperCase()}}`)
}
