import type { BundleAccount } from 'latchkey-protocol'

/** Whose account a signed bundle is for. */
export type Account = Partial<BundleAccount> & { organizationId: string }

/** Of the data of a signed bundle, whose `organizationId` was checked. */
export function readAccount(signed: Readonly<Record<string, unknown>>, organizationId: string): Account {
  const { userId, email, address } = signed
  return {
    organizationId,
    ...(typeof userId === 'string' && { userId }),
    ...(typeof email === 'string' && { email: toAscii(email) }),
    ...(typeof address === 'string' && { address: toAscii(address) }),
  }
}

/** Names the account in each place of the page for it. */
export function showAccount({ email, address, userId, organizationId }: Account): void {
  const lines = [email, address].filter((line) => line !== undefined)
  // Of a service that signs no more, or a user who has no address of either kind.
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

/** Letters of other scripts can look like Latin ones, or turn the text around them: their numbers cannot. */
function toAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => `{U+${character.codePointAt(0)?.toString(16).toUpperCase()}}`)
}
