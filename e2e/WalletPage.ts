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
  /** In the dialog: the mail's code; what a link of another browser meets, and its way on. */
  code: Locator
  resend: Locator
  /** Shown in its place once the second mail was sent. */
  resent: Locator
  elsewhere: Locator
  signInHere: Locator
  spent: Locator
  askAnew: Locator
  back: Locator
  close: Locator
  /** In the dialog: signs in with a passkey; makes one and an account; the offer after a sign-up. */
  passkey: Locator
  newPasskey: Locator
  retry: Locator
  offer: Locator
  addOffered: Locator
  skip: Locator
  alert: Locator
  address: Locator
  balance: Locator
  mint: Locator
  to: Locator
  amount: Locator
  send: Locator
  preview: Locator
  addRecipient: Locator
  toOther: Locator
  amountOther: Locator
  activity: Locator
  replace: Locator
  accountType: Locator
  message: Locator
  signMessage: Locator
  signTypedData: Locator
  signature: Locator
  verification: Locator
  exportWallet: Locator
  importPhrase: Locator
  importKey: Locator
  /** Sends what was typed into the import frame; ends the import. */
  submitImport: Locator
  cancelImport: Locator
  imported: Locator
  /** Below what was refused because the sign-in is too long ago. */
  signInAgain: Locator
  /** What waits for the mail of a confirmation. */
  confirmation: Locator
  cancelConfirmation: Locator
  logOut: Locator
  /** Under 'Ways to sign in'. */
  addPasskey: Locator
  removePasskey: Locator
  signOutElsewhere: Locator
  /** Opens the dialog and asks for a mail. */
  askForMail(email: string): Promise<void>
  /** Opens the dialog and presses Passkey. */
  askForPasskey(): Promise<void>
  /** Opens the dialog and signs up by a new passkey alone, under the name that is proposed unless another is given. */
  createPasskeyAccount(name?: string): Promise<void>
  /** Waits until the account shows and returns its address. */
  signedInAddress(): Promise<`0x${string}`>
  /** Waits until the page shows exactly this balance, such as `95.00 DEMO`. */
  showsBalance(text: string): Promise<void>
}

/** Opens the wallet (or a link into it) in a new tab of a browser context, which `prepare` is given first. */
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

/** The wallet in a tab; `within`: the frame it is embedded in. */
export function walletPage(page: Page, within: Pick<Page, 'getByRole'> = page): WalletPage {
  const dialog = within.getByRole('dialog')
  const email = within.getByRole('textbox', { name: 'Email' })
  const signIn = within.getByRole('main').getByRole('button', { name: 'Sign in' })
  const submit = dialog.getByRole('button', { name: 'Continue' })
  const address = within.getByRole('status', { name: 'Account address' })
  const confirmation = within.getByRole('status').filter({ hasText: 'Confirm in the mail we sent you' })
  const balance = within.getByRole('status', { name: 'DEMO balance' })
  return {
    page,
    signIn,
    email,
    continue: submit,
    sent: within.getByRole('heading', { name: "You're one click away" }),
    completing: within.getByRole('heading', { name: 'Completing authorization' }),
    code: dialog.getByRole('textbox', { name: 'Type its code' }),
    resend: dialog.getByRole('button', { name: 'Resend' }),
    resent: dialog.getByRole('button', { name: 'Done!' }),
    elsewhere: within.getByRole('heading', { name: 'This link does not open here' }),
    signInHere: dialog.getByRole('button', { name: 'Sign in here instead' }),
    spent: within.getByRole('heading', { name: 'This link can no longer be used' }),
    askAnew: dialog.getByRole('button', { name: 'Ask for a new e-mail' }),
    back: dialog.getByRole('button', { name: 'Back' }),
    close: dialog.getByRole('button', { name: 'Close' }),
    passkey: dialog.getByRole('button', { name: 'Passkey', exact: true }),
    newPasskey: dialog.getByRole('button', { name: 'Create a new passkey' }),
    retry: dialog.getByRole('button', { name: 'Retry' }),
    offer: within.getByRole('heading', { name: 'Add a passkey?' }),
    addOffered: submit,
    skip: dialog.getByRole('button', { name: 'Skip' }),
    alert: within.getByRole('alert'),
    address,
    balance,
    mint: within.getByRole('button', { name: 'Mint 100 DEMO' }),
    to: within.getByRole('textbox', { name: 'To', exact: true }),
    amount: within.getByRole('textbox', { name: 'Amount', exact: true }),
    preview: within.getByRole('region', { name: 'If you sign this' }),
    addRecipient: within.getByRole('button', { name: 'Add a recipient' }),
    toOther: within.getByRole('textbox', { name: 'To 2' }),
    amountOther: within.getByRole('textbox', { name: 'Amount 2' }),
    activity: within.getByRole('region', { name: 'Activity' }),
    replace: within.getByRole('button', { name: 'Replace with a higher fee' }),
    accountType: within.getByRole('combobox', { name: 'Account type' }),
    message: within.getByRole('textbox', { name: 'Message' }),
    signMessage: within.getByRole('button', { name: 'Sign message' }),
    signTypedData: within.getByRole('button', { name: 'Sign as typed data' }),
    signature: within.getByRole('status', { name: 'Signature' }),
    verification: within.getByRole('status', { name: 'Verification' }),
    exportWallet: within.getByRole('button', { name: 'Export wallet' }),
    importPhrase: within.getByRole('button', { name: 'Import a seed phrase' }),
    importKey: within.getByRole('button', { name: 'Import a private key' }),
    submitImport: within.getByRole('button', { name: 'Import', exact: true }),
    cancelImport: within.getByRole('button', { name: 'Cancel' }),
    imported: within.getByRole('list', { name: 'Imported' }),
    signInAgain: within.getByRole('button', { name: 'Sign in again' }),
    confirmation,
    cancelConfirmation: confirmation.getByRole('button', { name: 'Cancel' }),
    send: within.getByRole('button', { name: 'Sign and send' }),
    logOut: within.getByRole('button', { name: 'Log out' }),
    removePasskey: within.getByRole('button', { name: 'Remove', exact: true }),
    signOutElsewhere: within.getByRole('button', { name: 'Sign out elsewhere' }),
    addPasskey: within.getByRole('button', { name: 'Add a passkey' }),
    async askForMail(text) {
      await signIn.click()
      await email.fill(text)
      await submit.click()
    },
    async askForPasskey() {
      await signIn.click()
      await dialog.getByRole('button', { name: 'Passkey', exact: true }).click()
    },
    async createPasskeyAccount(name) {
      await signIn.click()
      await dialog.getByRole('link', { name: 'Create a passkey account' }).click()
      if (name !== undefined) await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
      await dialog.getByRole('button', { name: 'Continue' }).click()
    },
    async signedInAddress() {
      await address.waitFor()
      return ((await address.textContent()) ?? '').trim() as `0x${string}`
    },
    showsBalance: (text) => textBecomes(balance, text),
  }
}
