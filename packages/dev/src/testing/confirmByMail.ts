import type { Browser } from 'playwright-core'
import { readConfirmationMail } from './readConfirmationMail.ts'

export declare namespace confirmByMail {
  type Options = Parameters<typeof readConfirmationMail>[2] & {
    /** Opens the page in a browser without the app's data, as the mail may be read on another device. */
    browser: Pick<Browser, 'newContext'>
    /** @default 'Confirm' */
    decision?: 'Confirm' | 'Decline' | undefined
  }
}

/** Buttons and resulting texts of the pages for the user and for a new address. */
const presses = {
  Confirm: { button: /^(Confirm|Use my address)$/, heading: /^(Done|One more email)$/ },
  Decline: { button: /^Decline$/, heading: /^Declined$/ },
} as const

/**
 * Confirms like a user: waits for the mail, opens its link and clicks the page's button. Returns the page's title,
 * which says what was confirmed.
 *
 * @throws `TIMEOUT` (no mail came)
 *
 * @example
 * ```ts
 * import { confirmByMail, launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const [devnet, browser] = await Promise.all([startTestDevnet(), launchBrowser()])
 * console.log(await confirmByMail(devnet, 'ada@example.org', { browser }))
 * ```
 */
export async function confirmByMail(
  devnet: { urls: { inbox: string } },
  to: string,
  { browser, decision = 'Confirm', ...options }: confirmByMail.Options,
): Promise<string> {
  const link = await readConfirmationMail(devnet, to, options)
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(link)
    const button = page.getByRole('button', { name: presses[decision].button })
    await button.waitFor()
    const title = (await page.getByRole('heading').first().textContent()) ?? ''
    await button.click()
    await page.getByRole('heading', { name: presses[decision].heading }).waitFor()
    return title
  } finally {
    await context.close()
  }
}
