import type { BundleAccount } from 'latchkey-protocol'

/** Account in a signed bundle. */
export type Account = Partial<BundleAccount> & { organizationId: string }

/** Returns the account in the signed data of a bundle. The caller has checked `organizationId`. */
export function readAccount(signed: Readonly<Record<string, unknown>>, organizationId: string): Account {
  const { userId, email, address } = signed
  return {
    organizationId,
    ...(typeof userId === 'string' && { userId }),
    ...(typeof email === 'string' && { email: toAscii(email) }),
    ...(typeof address === 'string' && { address: toAscii(address) }),
  }
}

/** Shows the account in every element of the page that displays it. */
export function showAccount({ email, address, userId, organizationId }: Account): void {
  const lines = [email, address].filter((line) => line !== undefined)
  // The bundle is from an older service, or the user has neither an e-mail address nor an account address.
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
 * Replaces non-ASCII characters with their code points, because they can look like Latin letters or change the text
 * direction.
 */
function toAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => `{U+${character.codePointAt(0)?.toString(16).toUpperCase()}}`)
}
