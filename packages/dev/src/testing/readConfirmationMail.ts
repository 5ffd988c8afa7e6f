import { waitForMail } from './waitForMail.ts'

/**
 * Waits for the next mail that asks the person with an address to confirm something, and returns its link. The link
 * leads to a page with the buttons; opening it confirms nothing.
 *
 * @throws `TIMEOUT`
 *
 * @example
 * ```ts
 * import { readConfirmationMail, startTestWorld } from 'latchkey-dev/testing'
 *
 * const world = await startTestWorld()
 * const link = await readConfirmationMail(world, 'ada@example.org')
 * ```
 */
export async function readConfirmationMail(
  world: { urls: { inbox: string } },
  to: string,
  options: Omit<waitForMail.Options, 'matching'> = {},
): Promise<string> {
  const findLink = ({ links }: { links: readonly string[] }) => links.find((url) => /\/confirm\/#/.test(url))
  const mail = await waitForMail(world, to, { ...options, matching: (message) => findLink(message) !== undefined })
  return findLink(mail) ?? ''
}
