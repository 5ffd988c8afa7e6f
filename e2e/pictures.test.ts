import { findChangedPictures, loadFonts, type Picture, takePicture } from '@latchkey/testkit/pictures'
import { addAuthenticator, pressSeen, readConfirmationMail } from 'latchkey-dev/testing'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { signUp } from './signUp.ts'
import { openWallet } from './WalletPage.ts'

const stage = setStage(undefined, { isWhole: true })

/** Takes screenshots of a page at both widths, light and dark. `mask` covers areas with varying content. */
async function takeAll(page: Page, name: string, mask: Locator[] = []): Promise<Picture[]> {
  const pictures: Picture[] = []
  await loadFonts(page)
  // Moves the pointer away from all buttons.
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

test('matches the stored pictures of wallet, confirmation page and export frame', async () => {
  const { devnet, browser } = stage
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
    const first = await openWallet(context, devnet.urls.wallet)
    // The static HTML shows its button before the page is ready, so the test waits for another text.
    await first.page.getByText('Latchkey Dev').waitFor()
    await expectKnown('signed-out', await takeAll(first.page, 'signed out'), 2)
    const email = 'you@example.com'
    const { wallet } = await signUp({ devnet, context, email })
    const { page } = wallet
    await wallet.mint.click()
    await wallet.activity.getByText('sponsored').waitFor({ state: 'attached' })
    await page.getByRole('status').filter({ hasText: 'Minted 100 DEMO.' }).waitFor()
    await wallet.showsBalance('100.00 DEMO')
    await expect.poll(() => page.locator('.blank, [aria-busy=true]').count()).toBe(0)
    const changing = page.locator('.address, .mono:not(.more *), .timings dd')
    await expectKnown('wallet', await takeAll(page, 'wallet', [changing]), 2)

    await page.setViewportSize({ width: 360, height: 800 })
    await wallet.exportWallet.click()
    const confirming = await context.newPage()
    await confirming.goto(await readConfirmationMail(devnet, email))
    await confirming.getByRole('heading', { name: 'Show your recovery phrase?' }).waitFor()
    const facts = confirming.locator('dd.exact, div:has(> dt:text-is("Time")) dd')
    const confirmation = await takeAll(confirming, 'asked', [facts])
    await confirming.getByRole('button', { name: 'Show my recovery phrase' }).click()
    await confirming.getByRole('heading', { name: 'Recovery phrase' }).waitFor()
    confirmation.push(...(await takeAll(confirming, 'revealed', [confirming.locator('#secret')])))
    await confirming.getByRole('button', { name: "I've saved it" }).click()
    await confirming.getByRole('heading', { name: 'Done' }).waitFor()
    confirmation.push(...(await takeAll(confirming, 'done')))
    await expectKnown('confirmation', confirmation, 2)
    await confirming.close()

    // Without an e-mail address there is no confirmation, so the frame in the app shows the secret.
    await wallet.logOut.click()
    await addAuthenticator(page)
    await wallet.createPasskeyAccount('you')
    await wallet.signedInAddress()
    await wallet.exportWallet.click()
    const place = page.locator('iframe#turnkey-export-iframe')
    await place.waitFor()
    const frame = page.frame({ url: new RegExp(`^${devnet.urls.exportFrame}`) })
    if (!frame) throw new TypeError('no frame')
    await loadFonts(frame)
    const pictures: Picture[] = []
    const takeFrame = async (name: string) => {
      const mask = [frame.locator('.account span'), frame.locator('#secret:not(.masked)')]
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        pictures.push(await takePicture(`${name} ${colorScheme}`, place, { mask }))
      }
    }
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
