import type { Browser } from 'playwright-core'
import { DevError } from '../errors.ts'
import { readConfirmationMail } from './readConfirmationMail.ts'

export declare namespace confirmByMail {
  type Options = Parameters<typeof readConfirmationMail>[2] & {
    /** Opens the confirmation page without the app's data, because a user may read the e-mail on another device. */
    browser: Pick<Browser, 'newContext'>
    /** @default 'Confirm' */
    decision?: 'Confirm' | 'Decline' | undefined
    /** Recovery phrase or private key to enter on the page of an import. */
    secret?: string | undefined
  }
}

/** Buttons and resulting texts of the confirmation pages: for the user, for a new address, for exports and for imports. */
const presses = {
  Confirm: {
    button: /^(Confirm|Use my address|Import|Show my (recovery phrase|private key))$/,
    heading: /^(Done|One more email|Imported|Recovery phrase|Private key)$/,
  },
  Decline: { button: /^Decline$/, heading: /^Declined$/ },
} as const

/**
 * Confirms a request like a user: waits for the e-mail, opens its link and clicks the button. Returns the title of the
 * page, which describes what was confirmed.
 *
 * @throws `TIMEOUT` if no e-mail arrives
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
  options: confirmByMail.Options,
): Promise<string> {
  return (await decide(devnet, to, options)).title
}

/**
 * Confirms an export like a user and returns the secret that the confirmation page then shows: a recovery phrase or a
 * private key.
 *
 * @throws `TIMEOUT` if no e-mail arrives, or if it is for another request
 *
 * @example
 * ```ts
 * import { launchBrowser, readExportByMail, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const [devnet, browser] = await Promise.all([startTestDevnet(), launchBrowser()])
 * const phrase = await readExportByMail(devnet, 'ada@example.org', { browser })
 * ```
 */
export async function readExportByMail(
  devnet: { urls: { inbox: string } },
  to: string,
  options: Omit<confirmByMail.Options, 'decision' | 'secret'>,
): Promise<string> {
  const { secret } = await decide(devnet, to, options)
  if (secret === undefined)
    throw new DevError(`The email to ${to} asks for something other than an export.`, { code: 'TIMEOUT' })
  return secret
}

async function decide(
  devnet: { urls: { inbox: string } },
  to: string,
  { browser, decision = 'Confirm', secret: entered, ...options }: confirmByMail.Options,
): Promise<{ title: string; secret: string | undefined }> {
  const link = await readConfirmationMail(devnet, to, options)
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(link)
    const button = page.getByRole('button', { name: presses[decision].button })
    await button.waitFor()
    const title = (await page.getByRole('heading').first().textContent()) ?? ''
    if (entered !== undefined) await page.getByRole('textbox').fill(entered)
    await button.click()
    await page.getByRole('heading', { name: presses[decision].heading }).waitFor()
    const secret = page.locator('#secret')
    return { title, secret: (await secret.isVisible()) ? ((await secret.textContent()) ?? '') : undefined }
  } finally {
    await context.close()
  }
}
