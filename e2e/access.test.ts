import { addAuthenticator } from 'latchkey-dev/testing'
import type { BrowserContext } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { inThePast } from '../test/inThePast.ts'
import { setStage } from '../test/setStage.ts'
import { exportedSecret } from './exportedSecret.ts'
import { linkFor, newEmail, signInByCode } from './signUp.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

const stage = setStage()

describe('what only a young sign-in may do', () => {
  const refusal = 'Sign in again to do this: '

  /** Opens the link of a mail that is six minutes old: so old is the sign-in. `skip` mails were read before. */
  async function openLate(context: BrowserContext, email: string, skip = 0): Promise<WalletPage> {
    const { world } = stage
    const link = await inThePast(6 * 60_000, async () => {
      const first = await openWallet(context, world.urls.wallet)
      await first.askForMail(email)
      const sent = await linkFor(world, email, skip)
      await first.page.close()
      return sent
    })
    return openWallet(context, link, addAuthenticator)
  }

  /** Signs in again from a refusal, by the code of the next mail. */
  async function signInAgain(wallet: WalletPage, email: string, skip: number): Promise<void> {
    await wallet.signInAgain.first().click()
    await expect.poll(() => wallet.email.inputValue()).toBe(email)
    await wallet.continue.click()
    await signInByCode(wallet, stage.world, email, skip)
  }

  test('error: adding a passkey later and export do so too; giving it up changes nothing', async () => {
    const email = newEmail()
    const wallet = await openLate(await stage.newContext(), email)
    await wallet.skip.click()
    const address = await wallet.signedInAddress()
    const refused = wallet.alert.filter({ hasText: refusal })
    await wallet.addPasskey.click()
    await refused.waitFor()
    await wallet.exportWallet.click()
    await refused.nth(1).waitFor()

    await wallet.signInAgain.first().click()
    await wallet.continue.click()
    await wallet.sent.waitFor()
    await wallet.back.click()
    const bringBack = await stage.world.interrupt('mail')
    try {
      await wallet.continue.click()
      await wallet.alert.filter({ hasText: 'The mail could not be sent.' }).waitFor()
    } finally {
      await bringBack()
    }
    await wallet.close.click()
    expect(await wallet.signedInAddress()).toBe(address)
    await wallet.mint.click()
    await wallet.showsBalance('100.00 DEMO')

    await wallet.exportWallet.click()
    await refused.waitFor()
    await signInAgain(wallet, email, 2)
    await refused.waitFor({ state: 'detached' })
    expect(await wallet.signedInAddress()).toBe(address)
    await wallet.exportWallet.click()
    await stage.confirm(email)
    expect((await exportedSecret(wallet.page)).split(' ')).toHaveLength(12)
  })
})
