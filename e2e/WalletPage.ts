import type { BrowserContext, Locator, Page } from 'playwright-core'
import { textBecomes } from './textBecomes.ts'

/** The example wallet as a person meets it: everything is found by role and label. */
export type WalletPage = {
  page: Page
  signIn: Locator
  email: Locator
  continue: Locator
  sent: Locator
  completing: Locator
  alert: Locator
  address: Locator
  balance: Locator
  mint: Locator
  to: Locator
  amount: Locator
  send: Locator
  logOut: Locator
  /** Opens the dialog and asks for a mail. */
  askForMail(email: string): Promise<void>
  /** Waits until the account shows and answers its address. */
  signedInAddress(): Promise<`0x${string}`>
  /** Waits until the page shows exactly this balance, such as `95.00 DEMO`. */
  showsBalance(text: string): Promise<void>
}

/** Opens the wallet (or a link into it) in a new tab of a browser context. */
export async function openWallet(context: BrowserContext, url: string): Promise<WalletPage> {
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'commit' })
  return walletPage(page)
}

export function walletPage(page: Page): WalletPage {
  const dialog = page.getByRole('dialog')
  const email = page.getByRole('textbox', { name: 'Email' })
  const signIn = page.getByRole('main').getByRole('button', { name: 'Sign in' })
  const submit = dialog.getByRole('button', { name: 'Continue' })
  const address = page.getByRole('status', { name: 'Account address' })
  const balance = page.getByRole('status', { name: 'DEMO balance' })
  return {
    page,
    signIn,
    email,
    continue: submit,
    sent: page.getByRole('heading', { name: "You're one click away" }),
    completing: page.getByRole('heading', { name: 'Completing authorization' }),
    alert: page.getByRole('alert'),
    address,
    balance,
    mint: page.getByRole('button', { name: 'Mint 100 DEMO' }),
    to: page.getByRole('textbox', { name: 'To' }),
    amount: page.getByRole('textbox', { name: 'Amount' }),
    send: page.getByRole('button', { name: 'Sign and send' }),
    logOut: page.getByRole('button', { name: 'Log out' }),
    async askForMail(text) {
      await signIn.click()
      await email.fill(text)
      await submit.click()
    },
    async signedInAddress() {
      await address.waitFor()
      return ((await address.textContent()) ?? '').trim() as `0x${string}`
    },
    showsBalance: (text) => textBecomes(balance, text),
  }
}
