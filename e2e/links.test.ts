import { readSignInMail } from 'latchkey-dev/testing'
import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { shiftClock } from '../test/shiftClock.ts'
import { logOutForGood, newEmail, signInByCode } from './signUp.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

const stage = setStage()

async function ask(context: BrowserContext, email = newEmail()) {
  const wallet = await openWallet(context, stage.devnet.urls.wallet)
  await wallet.askForMail(email)
  await wallet.sent.waitFor()
  return { wallet, email, ...(await readSignInMail(stage.devnet, email)) }
}

async function signInHere(wallet: WalletPage, email: string, skip: number): Promise<void> {
  await wallet.email.fill(email)
  await wallet.continue.click()
  await signInByCode(wallet, stage.devnet, email, skip)
}

test('signs in by the code in the mailbox after a reload and refused resends', async () => {
  const { wallet, email } = await ask(await stage.newContext())
  await wallet.page.reload()
  await wallet.signIn.click()
  await wallet.sent.waitFor()
  await wallet.page.getByText(email).waitFor()
  await expect.poll(() => wallet.code.evaluate((element) => element === document.activeElement)).toBe(true)
  const refusal = wallet.alert.filter({ hasText: 'Too many emails were sent to this address' })
  let resent = -1
  do {
    resent++
    await wallet.resend.click()
    await wallet.resent.or(refusal).waitFor()
  } while ((await refusal.count()) === 0 && resent < 10)
  await signInByCode(wallet, stage.devnet, email, resent)
  await wallet.offer.waitFor()
})

test('explains a link opened in another browser, where both ways to continue work', async () => {
  const { wallet, email, link, code = '' } = await ask(await stage.newContext())
  const phone = await openWallet(await stage.newContext(), link)
  await phone.elsewhere.waitFor()
  await phone.signInHere.click()
  await phone.email.fill(email)
  await phone.continue.click()
  const again = await readSignInMail(stage.devnet, email, { skip: 1 })
  // The first browser must still accept its own e-mail.
  await wallet.code.fill(code)
  const address = await wallet.signedInAddress()
  const second = await openWallet(phone.page.context(), again.link)
  expect(await second.signedInAddress()).toBe(address)
  expect(await phone.signedInAddress()).toBe(address)
})

const newPhone = () =>
  stage.browser.newContext({
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 3,
  })

test('finishes by code in the original browser of a phone whose mail app opens links in its own', async () => {
  const [phone, mailApp] = await Promise.all([newPhone(), newPhone()])
  try {
    const wallet = await openWallet(phone, stage.devnet.urls.wallet)
    const email = newEmail()
    await wallet.signIn.tap()
    await wallet.email.tap()
    await wallet.email.fill(email)
    await wallet.continue.tap()
    await wallet.sent.waitFor()
    const { link, code = '' } = await readSignInMail(stage.devnet, email)
    const inApp = await openWallet(mailApp, link)
    await inApp.elsewhere.waitFor()
    await inApp.page.getByText('code').first().waitFor()
    // Simulates a phone that discards the tab. Only stored data survives.
    await wallet.page.goto('about:blank')
    await wallet.page.goBack()
    if ((await wallet.code.count()) === 0) await wallet.signIn.tap()
    await wallet.page.getByText(email).waitFor()
    await wallet.code.tap()
    // Users may paste the e-mail's code with spaces.
    await wallet.code.fill(code.replace(/(\d{3})(?=\d)/g, '$1 '))
    await wallet.skip.tap()
    await wallet.mint.tap()
    await wallet.showsBalance('100.00 DEMO')
    expect(await wallet.page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await inApp.page.reload()
    await inApp.signIn.waitFor()
  } finally {
    await Promise.all([phone.close(), mailApp.close()])
  }
})

test('offers a new link for an expired one and for one whose session ended', async () => {
  const context = await stage.newContext()
  const { link, email, wallet } = await shiftClock(20 * 60_000, () => ask(context))
  const late = await openWallet(context, link)
  await late.spent.waitFor()
  await late.askAnew.click()
  await signInHere(late, email, 1)
  await late.skip.click()
  await wallet.signedInAddress()
  await late.page.bringToFront()
  await logOutForGood(late)
  const used = await openWallet(context, link)
  await used.spent.or(used.elsewhere).waitFor()
  await used.close.click()
  await used.signIn.click()
  await signInHere(used, email, 2)
  await used.signedInAddress()
})
