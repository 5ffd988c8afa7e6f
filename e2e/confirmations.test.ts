import { findChangedPictures, loadFonts, type Picture, takePicture } from '@latchkey/testkit/pictures'
import { addAuthenticator, pressSeen, readConfirmationMail } from 'latchkey-dev/testing'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { exportedSecret } from './exportedSecret.ts'
import { findFaults } from './findFaults.ts'
import { logOutForGood, newEmail, signInByMail, signUp } from './signUp.ts'
import { openWallet } from './WalletPage.ts'

const stage = setStage()

test('error: refused, and all sessions ended', async () => {
  const { world } = stage
  const context = await stage.newContext()
  const email = newEmail()
  const { wallet } = await signUp({ world, context, email })
  await wallet.exportWallet.click()
  const page = await context.newPage()
  await page.goto(await readConfirmationMail(world, email))
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.getByRole('button', { name: 'End all sessions' }).click()
  await wallet.alert.first().waitFor()
  await wallet.page.locator('iframe#turnkey-export-iframe').waitFor({ state: 'detached' })
})

test('behavior: the mail is sent again, an earlier link confirms, and the later one shows so', async () => {
  const { world } = stage
  const context = await stage.newContext()
  const email = newEmail()
  const { wallet } = await signUp({ world, context, email })
  await wallet.exportWallet.click()
  await wallet.confirmation.getByText(`It went to ${email}.`).waitFor()
  await wallet.resendConfirmation.click()
  await wallet.confirmation.getByText('Sent again.').waitFor()
  expect(await findFaults(wallet.page)).toEqual([])
  const later = await readConfirmationMail(world, email, { skip: 1 })
  await stage.confirm(email)
  const page = await context.newPage()
  await page.goto(later)
  await page.getByRole('heading', { name: 'Confirmed' }).waitFor()
  await page.close()
  expect((await exportedSecret(wallet.page)).split(' ')).toHaveLength(12)
  await wallet.confirmation.waitFor({ state: 'detached' })
})

test('behavior: an address is changed by both mailboxes, shown, and signs in from then on', async () => {
  const { world } = stage
  const context = await stage.newContext()
  const [email, next] = [newEmail(), newEmail('next')]
  const { wallet, address } = await signUp({ world, context, email })
  await wallet.setAddress(next)
  expect(await stage.confirm(email)).toBe('Change the e-mail address?')
  await wallet.confirmation.getByText(`It went to ${next}.`).waitFor()
  expect(await stage.confirm(next)).toBe('Use this address to sign in?')
  await wallet.page.getByText(next).first().waitFor()
  await logOutForGood(wallet)
  const again = await signInByMail({ world, context, email: next })
  expect(await again.signedInAddress()).toBe(address)
})

test('behavior: a lost passkey: its person comes back by the address that they added, and makes a new one', async () => {
  const { world } = stage
  const lost = await stage.newContext()
  const wallet = await openWallet(lost, world.urls.wallet)
  await addAuthenticator(wallet.page)
  await wallet.createPasskeyAccount()
  const address = await wallet.signedInAddress()
  const email = newEmail('found')
  await wallet.page.getByRole('button', { name: 'Add an e-mail address' }).click()
  await wallet.page.getByRole('button', { name: 'Add address' }).click()
  await wallet.page.getByText('Must provide a valid email.').waitFor()
  expect(await findFaults(wallet.page)).toEqual([])
  await wallet.page.getByRole('button', { name: 'Close' }).click()
  await wallet.setAddress(email)
  const link = await readConfirmationMail(world, email)
  const page = await lost.newPage()
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(link)
  await page.getByRole('heading', { name: 'Use this address to sign in?' }).waitFor()
  await page.getByText('Can open the account already', { exact: true }).waitFor()
  expect(await findFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Use my address' }).click()
  await page.getByRole('heading', { name: 'Confirmed' }).waitFor()
  await wallet.page.getByText('mails sign you in, too').waitFor()
  // Another device, without the passkey.
  const context = await stage.newContext()
  const found = await signInByMail({ world, context, email, prepare: (tab) => addAuthenticator(tab) })
  expect(await found.signedInAddress()).toBe(address)
  await found.addPasskey.click()
  expect(await stage.confirm(email, 1)).toBe('Add a passkey?')
  await expect.poll(() => found.removePasskey.count()).toBe(2)
  await logOutForGood(found)
  await found.askForPasskey()
  expect(await found.signedInAddress()).toBe(address)
})

/** A page at both widths, light and dark. `mask`: what differs each time. */
async function takeAll(page: Page, name: string, mask: Locator[] = []): Promise<Picture[]> {
  const pictures: Picture[] = []
  await loadFonts(page)
  // Not over a button.
  await page.mouse.move(0, 0)
  for (const width of [360, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      pictures.push(await takePicture(`${name} ${width} ${colorScheme}`, page, { isWhole: true, mask }))
    }
  await page.emulateMedia({ colorScheme: 'light' })
  return pictures
}

test('default: wallet, confirmation page and export frame look as they did when they were looked at', async () => {
  const { world, browser } = stage
  const context = await browser.newContext({
    bypassCSP: true,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(60_000)
  const expectKnown = async (sheet: string, pictures: Picture[], columns: number) =>
    expect(await findChangedPictures(browser, `e2e/pictures/${sheet}.png`, pictures, columns)).toEqual([])
  try {
    const first = await openWallet(context, world.urls.wallet)
    // Not of the shell, whose button is there from the first paint on.
    await first.page.getByText('Latchkey Dev').waitFor()
    await expectKnown('signed-out', await takeAll(first.page, 'signed out'), 2)
    const email = 'you@example.com'
    const { wallet } = await signUp({ world, context, email })
    const { page } = wallet
    await wallet.mint.click()
    await wallet.activity.getByText('sponsored').waitFor()
    await page.getByRole('status').filter({ hasText: 'Minted 100 DEMO.' }).waitFor()
    await wallet.showsBalance('100.00 DEMO')
    await expect.poll(() => page.locator('.blank, [aria-busy=true]').count()).toBe(0)
    const changing = page.locator('.address, .mono, .timings dd')
    await expectKnown('wallet', await takeAll(page, 'wallet', [changing]), 2)

    await page.setViewportSize({ width: 360, height: 800 })
    await wallet.exportWallet.click()
    const confirming = await context.newPage()
    await confirming.goto(await readConfirmationMail(world, email))
    await confirming.getByRole('heading', { name: 'Show the seed phrase of a wallet?' }).waitFor()
    const facts = confirming.locator('dd.exact, div:has(> dt:text-is("Asked for")) dd')
    const confirmation = await takeAll(confirming, 'asked', [facts])
    await confirming.getByRole('button', { name: 'Confirm' }).click()
    await confirming.getByRole('heading', { name: 'Confirmed' }).waitFor()
    confirmation.push(...(await takeAll(confirming, 'done')))
    await expectKnown('confirmation', confirmation, 2)
    await confirming.close()

    const place = page.locator('iframe#turnkey-export-iframe')
    const frame = page.frame({ url: new RegExp(`^${world.urls.exportFrame}`) })
    if (!frame) throw new TypeError('no frame')
    await loadFonts(frame)
    const pictures: Picture[] = []
    const takeFrame = async (name: string) => {
      const mask = [frame.locator('.account span + span'), frame.locator('#secret:not(.masked)')]
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        pictures.push(await takePicture(`${name} ${colorScheme}`, place, { mask }))
      }
    }
    await frame.locator('#go-on').waitFor()
    await takeFrame('asked')
    await pressSeen(frame.locator('#go-on'))
    await frame.locator('#reveal').waitFor()
    await takeFrame('masked')
    await pressSeen(frame.locator('#reveal'))
    await frame.locator('#secret:not(.masked)').waitFor()
    await takeFrame('revealed')
    await expectKnown('export', pictures, 2)
  } finally {
    await context.close()
  }
})
