import { randomBytes } from 'node:crypto'
import type { Devnet } from 'latchkey-dev'
import { readSignInMail } from 'latchkey-dev/testing'
import type { BrowserContext, Page } from 'playwright-core'
import type { Address } from 'viem'
import { demand } from './demand.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

export function newEmail(name = 'ada'): string {
  return `${name}-${randomBytes(4).toString('hex')}@example.com`
}

export async function linkFor(devnet: Devnet, email: string, skip = 0): Promise<string> {
  return (await readSignInMail(devnet, email, { skip, linkTo: devnet.urls.wallet })).link
}

type Visit = {
  devnet: Devnet
  context: BrowserContext
  email: string
  skip?: number
  prepare?: (page: Page) => Promise<unknown>
}

/** Opens the e-mail's link in a second tab and returns that tab. */
export async function signInByMail({ devnet, context, email, skip = 0, prepare }: Visit): Promise<WalletPage> {
  const first = await openWallet(context, devnet.urls.wallet)
  await first.askForMail(email)
  await untilSent(first)
  const second = await openWallet(context, await linkFor(devnet, email, skip), prepare)
  await second.signedInAddress()
  await first.page.close()
  return second
}

/** Signs a new user up by code in one tab, without a passkey. */
export async function signUp({
  devnet,
  context,
  email = newEmail(),
  prepare,
}: Omit<Visit, 'email' | 'skip'> & { email?: string }): Promise<{ wallet: WalletPage; address: Address }> {
  const wallet = await openWallet(context, devnet.urls.wallet, prepare)
  await wallet.askForMail(email)
  await untilSent(wallet)
  await signInByCode(wallet, devnet, email)
  await wallet.skip.click()
  return { wallet, address: await wallet.signedInAddress() }
}

async function untilSent({ sent, alert }: WalletPage): Promise<void> {
  await sent.or(alert).first().waitFor({ timeout: 60_000 })
  const refusal = (await sent.isVisible()) ? '' : await alert.first().textContent()
  demand(refusal === '', `a mail is sent: ${refusal}`)
}

export async function signInByCode(wallet: WalletPage, devnet: Devnet, email: string, skip = 0): Promise<void> {
  const { code = '' } = await readSignInMail(devnet, email, { skip })
  await wallet.code.fill(code)
}

/** Signs out and waits until the frame has deleted its key. A new e-mail would otherwise be bound to the old key. */
export async function logOutForGood({ page, logOut, signIn }: WalletPage): Promise<void> {
  await logOut.click()
  await signIn.waitFor()
  await page.locator('#turnkey-iframe').waitFor({ state: 'detached' })
}
