import { waitForMail } from './waitForMail.ts'

/** Subjects of confirmation e-mails to the user and to a new address. */
const subjects = /^(Confirm: |Use this address to sign in to )/

/**
 * Waits for the next confirmation e-mail and returns its link. Opening the link confirms nothing: its page has buttons
 * to confirm and decline.
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
  // Skips links that undo an added passkey or a deletion, which open the same page.
  const findLink = ({ links, subject }: { links: readonly string[]; subject: string }) =>
    subjects.test(subject) ? links.find((url) => /\/confirm\/#/.test(url)) : undefined
  const mail = await waitForMail(devnet, to, { ...options, matching: (message) => findLink(message) !== undefined })
  return findLink(mail) ?? ''
}
