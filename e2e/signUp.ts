import { randomBytes } from 'node:crypto'
import type { World } from 'latchkey-dev'
import { readSignInMail } from 'latchkey-dev/testing'
import type { BrowserContext, Page } from 'playwright-core'
import type { Address } from 'viem'
import { openWallet, type WalletPage } from './WalletPage.ts'

/** An address nobody has used. */
export function newEmail(name = 'ada'): string {
  return `${name}-${randomBytes(4).toString('hex')}@example.com`
}

/** The link of the next sign-in mail to an address; `skip` of them were read before. */
export async function linkFor(world: World, email: string, skip = 0): Promise<string> {
  return (await readSignInMail(world, email, { skip, linkTo: world.urls.wallet })).link
}

type Visit = {
  world: World
  context: BrowserContext
  email: string
  /** Mails to this address that were read before. */
  skip?: number
  /** What the second tab is given before it opens the link, such as a passkey device. */
  prepare?: (page: Page) => Promise<unknown>
}

/** Signs in by mail: its link is opened in a second tab, which is answered; the first one is closed. */
export async function signInByMail({ world, context, email, skip = 0, prepare }: Visit): Promise<WalletPage> {
  const first = await openWallet(context, world.urls.wallet)
  await first.askForMail(email)
  await first.sent.waitFor()
  const second = await openWallet(context, await linkFor(world, email, skip), prepare)
  await second.signedInAddress()
  await first.page.close()
  return second
}

/** Signs somebody new up by e-mail, without a passkey. */
export async function signUp(
  visit: Omit<Visit, 'email'> & { email?: string },
): Promise<{ wallet: WalletPage; address: Address }> {
  const wallet = await signInByMail({ email: newEmail(), ...visit })
  await wallet.skip.click()
  return { wallet, address: await wallet.signedInAddress() }
}
