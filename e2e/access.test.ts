import { addAuthenticator } from 'latchkey-dev/testing'
import type { BrowserContext } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { inThePast } from '../test/inThePast.ts'
import { setStage } from '../test/setStage.ts'
import { exportedSecret } from './exportedSecret.ts'
import { linkFor, logOutForGood, newEmail, signInByCode, signInByMail } from './signUp.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

const stage = setStage()

test('default: passkeys are listed and removed; a removed one opens nothing any more', async () => {
  const { world } = stage
  const context = await stage.newContext()
  const email = newEmail()
  const wallet = await signInByMail({ world, context, email, prepare: addAuthenticator })
  await wallet.addOffered.click()
  await wallet.offer.waitFor({ state: 'hidden' })
  await wallet.removePasskey.click()
  await wallet.page.getByText(`You can still sign in with ${email}.`).waitFor()
  await wallet.keepPasskey.click()
  await expect.poll(() => wallet.removePasskey.evaluate((button) => button === document.activeElement)).toBe(true)
  await wallet.removePasskey.click()
  await wallet.confirmRemoval.click()
  await stage.confirm(email)
  await wallet.removePasskey.waitFor({ state: 'detached' })
  await wallet.logOut.click()
  await wallet.signIn.waitFor()
  await wallet.askForPasskey()
  await wallet.alert.filter({ hasText: 'No user found' }).waitFor()
})

test('behavior: signing out elsewhere ends the session of another browser, not this one', async () => {
  const { world } = stage
  const email = newEmail()
  const lost = await signInByMail({ world, context: await stage.newContext(), email })
  await lost.skip.click()
  const kept = await signInByMail({ world, context: await stage.newContext(), email, skip: 1 })
  expect(await kept.signedInAddress()).toBe(await lost.signedInAddress())
  await kept.signOutElsewhere.click()
  await kept.signOutElsewhere.waitFor({ state: 'detached' })
  await lost.mint.click()
  await lost.alert.first().waitFor()
  await kept.mint.click()
  await kept.showsBalance('100.00 DEMO')
})

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

  test('error: adding the offered passkey leads to a new sign-in and back to it; removing one too', async () => {
    const email = newEmail()
    const context = await stage.newContext()
    const wallet = await openLate(context, email)
    await wallet.addOffered.click()
    await wallet.alert.filter({ hasText: refusal }).waitFor()
    await signInAgain(wallet, email, 1)
    await wallet.addOffered.click()
    await wallet.removePasskey.waitFor()
    await logOutForGood(wallet)

    const late = await openLate(context, email, 2)
    await late.removePasskey.click()
    await late.confirmRemoval.click()
    await late.alert.filter({ hasText: refusal }).waitFor()
    await signInAgain(late, email, 3)
    await late.alert.waitFor({ state: 'detached' })
    await late.removePasskey.click()
    await late.confirmRemoval.click()
    await stage.confirm(email)
    await late.removePasskey.waitFor({ state: 'detached' })
  })

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
