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
  /** The tab that asked has signed in by this tab's link; the way on in this one. */
  taken: Locator
  goOnHere: Locator
  askAnew: Locator
  close: Locator
  /** In the dialog: signs in with a passkey; makes one and an account; the offer after a sign-up. */
  passkey: Locator
  /** Where no passkey is at hand. */
  otherPasskey: Locator
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
  /** Opens the form for another address, and sends it. */
  setAddress(email: string): Promise<void>
  logOut: Locator
  /** Under 'Ways to sign in'. */
  addPasskey: Locator
  removePasskey: Locator
  receive: Locator
  /** Says while there is no network what still works. */
  connection: Locator
  owners: Locator
  newOwner: Locator
  addOwner: Locator
  handOver: Locator
  plugins: Locator
  installSessionKeys: Locator
  uninstall: Locator
  /** The form that sends with the session key, and a way to send what the page itself refuses. */
  allowKey: Locator
  keyRights: Locator
  keyTo: Locator
  keyAmount: Locator
  keyPreview: Locator
  sendByKey: Locator
  sendAnyway: Locator
  revokeOthers: Locator
  /** In a question: its buttons by name. */
  confirm(name: string): Promise<void>
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
    taken: within.getByRole('heading', { name: 'Signed in in the other tab' }),
    goOnHere: dialog.getByRole('button', { name: 'Go on here' }),
    askAnew: dialog.getByRole('button', { name: 'Ask for a new e-mail' }),
    close: dialog.getByRole('button', { name: 'Close' }),
    passkey: dialog.getByRole('button', { name: 'Passkey', exact: true }),
    otherPasskey: dialog.getByRole('button', { name: 'Use another device' }),
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
    exportWallet: within.getByRole('button', { name: 'Export wallet' }),
    importPhrase: within.getByRole('button', { name: 'Import a seed phrase' }),
    importKey: within.getByRole('button', { name: 'Import a private key' }),
    submitImport: within.getByRole('button', { name: 'Import', exact: true }),
    cancelImport: within.getByRole('button', { name: 'Cancel' }),
    imported: within.getByRole('list', { name: 'Imported' }),
    signInAgain: within.getByRole('button', { name: 'Sign in again' }),
    confirmation,
    send: within.getByRole('button', { name: 'Sign and send' }),
    logOut: within.getByRole('button', { name: 'Log out' }),
    removePasskey: within.getByRole('button', { name: 'Remove', exact: true }),
    receive: within.getByRole('button', { name: 'Receive' }),
    connection: within.getByRole('status', { name: 'Connection' }),
    owners: within.getByRole('region', { name: 'Owners' }),
    newOwner: within.getByRole('textbox', { name: 'New owner' }),
    addOwner: within.getByRole('button', { name: 'Add owner' }),
    handOver: within.getByRole('button', { name: 'Hand over the account' }),
    plugins: within.getByRole('region', { name: 'Plugins' }),
    installSessionKeys: within.getByRole('button', { name: 'Install session keys' }),
    uninstall: within.getByRole('button', { name: 'Uninstall Session Key Plugin' }),
    allowKey: within.getByRole('button', { name: 'Allow 10.00 DEMO for an hour' }),
    keyRights: within.getByRole('status', { name: 'Rights of the key' }),
    keyTo: within.getByRole('textbox', { name: 'Key sends to' }),
    keyAmount: within.getByRole('textbox', { name: 'Key sends', exact: true }),
    keyPreview: within.getByRole('region', { name: 'If the key signs this' }),
    sendByKey: within.getByRole('button', { name: 'Send with the key' }),
    sendAnyway: within.getByRole('button', { name: 'Try it all the same' }),
    revokeOthers: within.getByRole('button', { name: 'Revoke others' }),
    confirm: (name) => dialog.getByRole('button', { name, exact: true }).click(),
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
    async setAddress(text) {
      await within.getByRole('button', { name: /^(Add an|Change your) e-mail address$/ }).click()
      await within.getByRole('textbox', { name: /e-mail address$/i }).fill(text)
      await within.getByRole('button', { name: /^(Add|Change) address$/ }).click()
    },
    async signedInAddress() {
      await address.waitFor()
      return ((await address.textContent()) ?? '').trim() as `0x${string}`
    },
    showsBalance: (text) => textBecomes(balance, text),
  }
}
