import type { BrowserContext, Page } from 'playwright-core'
import { textBecomes } from './textBecomes.ts'

export type WalletPage = ReturnType<typeof walletPage>

/** Opens the wallet in a new tab. `prepare` sets up the tab first. */
export async function openWallet(
  context: BrowserContext,
  url: string,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<WalletPage> {
  const page = await context.newPage()
  await prepare?.(page)
  await page.goto(url, { waitUntil: 'commit' })
  return walletPage(page)
}

/** Returns the elements of the example wallet by role and label, in a page or in the frame `within`. */
export function walletPage(page: Page, within: Pick<Page, 'getByRole'> = page) {
  const dialog = within.getByRole('dialog')
  const button = (name: string, exact = false) => within.getByRole('button', { name, exact })
  const textbox = (name: string, exact = false) => within.getByRole('textbox', { name, exact })
  const status = (name: string) => within.getByRole('status', { name })
  const region = (name: string) => within.getByRole('region', { name })
  const heading = (name: string) => within.getByRole('heading', { name })
  const dialogButton = (name: string, exact = false) => dialog.getByRole('button', { name, exact })
  const email = textbox('Email', true)
  const signIn = within.getByRole('main').getByRole('button', { name: 'Sign in' })
  const submit = dialogButton('Continue')
  const address = status('Account address')
  const balance = status('DEMO balance')
  return {
    page,
    signIn,
    email,
    continue: submit,
    sent: heading("You're one click away"),
    completing: heading('Completing authorization'),
    code: dialog.getByRole('textbox', { name: 'Enter the code' }),
    resend: dialogButton('Resend'),
    resent: dialogButton('Done!'),
    elsewhere: heading("This link doesn't work in this browser"),
    signInHere: dialogButton('Start over here'),
    spent: heading('This link no longer works'),
    taken: heading("You're signed in"),
    goOnHere: dialogButton('Continue here'),
    askAnew: dialogButton('Get a new email'),
    close: dialogButton('Close'),
    passkey: dialogButton('Passkey', true),
    offer: heading('Add a passkey?'),
    addOffered: submit,
    skip: dialogButton('Skip'),
    alert: within.getByRole('alert'),
    address,
    balance,
    mint: button('Mint 100 DEMO'),
    to: textbox('To', true),
    amount: textbox('Amount', true),
    preview: within.getByRole('region', { name: 'Preview', exact: true }),
    addRecipient: button('Add a recipient'),
    toOther: textbox('To 2'),
    amountOther: textbox('Amount 2'),
    activity: region('Activity'),
    replace: button('Replace with a higher fee'),
    message: textbox('Message'),
    signMessage: button('Sign message'),
    signature: status('Signature'),
    exportWallet: button('Export wallet'),
    importKey: button('Import a private key'),
    submitImport: button('Import', true),
    imported: within.getByRole('list', { name: 'Imported' }),
    signInAgain: button('Sign in again'),
    confirmation: within.getByRole('status').filter({ hasText: 'Check your email to confirm' }),
    send: button('Sign and send'),
    logOut: button('Log out'),
    addPasskey: button('Add a passkey'),
    removePasskey: button('Remove', true),
    receive: button('Receive'),
    connection: status('Connection'),
    owners: region('Owners'),
    newOwner: textbox('New owner'),
    addOwner: button('Add owner'),
    transfer: button('Transfer ownership'),
    plugins: region('Plugins'),
    uninstall: button('Uninstall Session Key Plugin'),
    /** Switches to the account of another type. */
    async selectAccountType(name: string) {
      const card = region('Your account')
      await card.getByText('Details', { exact: true }).click()
      await card.getByRole('combobox', { name: 'Account type' }).selectOption(name)
    },
    confirm: (name: string) => dialogButton(name, true).click(),
    /** Opens the dialog and requests a sign-in e-mail. */
    async askForMail(text: string) {
      await signIn.click()
      await email.fill(text)
      await submit.click()
    },
    async askForPasskey() {
      await signIn.click()
      await dialogButton('Passkey', true).click()
    },
    /** Signs up with a new passkey and without an e-mail address. Uses the suggested name by default. */
    async createPasskeyAccount(name?: string) {
      await signIn.click()
      await dialog.getByRole('link', { name: 'Create a passkey account' }).click()
      if (name !== undefined) await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
      await submit.click()
    },
    async setAddress(text: string) {
      await within.getByRole('button', { name: /^(Add an|Change your) email address$/ }).click()
      await within.getByRole('textbox', { name: /email address$/i }).fill(text)
      await within.getByRole('button', { name: /^(Add|Change) address$/ }).click()
    },
    async signedInAddress() {
      await address.waitFor()
      return ((await address.textContent()) ?? '').trim() as `0x${string}`
    },
    /** Waits until the page shows exactly this balance, such as `95.00 DEMO`. */
    showsBalance: (text: string) => textBecomes(balance, text),
  }
}
