import { waitForMail } from './waitForMail.ts'

/** Of mails to the person, and to a new address that is to agree. */
const subjects = /: (confirm what you asked for|use this address to sign in\?)$/

/**
 * Waits for the next mail that asks the person with an address to confirm something, and returns its link. The link
 * leads to a page with the buttons; opening it confirms nothing.
 *
 * @throws `TIMEOUT`
 *
 * @example
 * ```ts
 * import { readConfirmationMail, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const link = await readConfirmationMail(devnet, 'ada@example.org')
 * ```
 */
export async function readConfirmationMail(
  devnet: { urls: { inbox: string } },
  to: string,
  options: Omit<waitForMail.Options, 'matching'> = {},
): Promise<string> {
  // Links that undo a passkey or keep an account lead to the same page, and nothing waits for those.
  const findLink = ({ links, subject }: { links: readonly string[]; subject: string }) =>
    subjects.test(subject) ? links.find((url) => /\/confirm\/#/.test(url)) : undefined
  const mail = await waitForMail(devnet, to, { ...options, matching: (message) => findLink(message) !== undefined })
  return findLink(mail) ?? ''
}
