import { readSignInMail } from 'latchkey-dev/testing'
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { createKeyboard } from './createKeyboard.ts'
import { findFaults } from './findFaults.ts'
import { runFullJob } from './fullJob.ts'
import { runMainJob } from './mainJob.ts'
import { newEmail, signUp } from './signUp.ts'
import { openWallet } from './WalletPage.ts'

const stage = setStage()

// The jobs of `npm run tour`, which throw if a result is unexpected.
test.each([
  ['the main job', runMainJob],
  ['a whole life with the wallet', runFullJob],
])('runs %s', async (_, run) => {
  const { steps, userOpHash, txHash } = await run(stage)
  expect(steps.length).toBeGreaterThan(10)
  for (const hash of [userOpHash, txHash]) expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
})

test('completes the main job by keyboard alone and keeps the focus in place', async () => {
  const wallet = await openWallet(await stage.newContext(), stage.devnet.urls.wallet)
  const { keyboard } = wallet.page
  const { has, tabTo, untilReady, press } = createKeyboard(wallet.page)
  await press(wallet.signIn)
  await expect.poll(() => has(wallet.email)).toBe(true)
  const email = newEmail()
  await keyboard.type(email)
  await keyboard.press('Enter')
  await expect.poll(() => has(wallet.code)).toBe(true)
  const { code = '' } = await readSignInMail(stage.devnet, email)
  // Users may paste the e-mail's code with spaces.
  await keyboard.insertText(` ${code.slice(0, 3)} ${code.slice(3)} `)
  await press(wallet.skip)
  await wallet.signedInAddress()
  await expect.poll(() => wallet.page.evaluate(() => document.activeElement === document.body)).toBe(false)

  await press(wallet.mint)
  await wallet.showsBalance('100.00 DEMO')
  expect(await has(wallet.mint)).toBe(true)
  await tabTo(wallet.to)
  await keyboard.type('0x000000000000000000000000000000000000dEaD')
  await tabTo(wallet.amount)
  await keyboard.type('5 DEMO')
  // The balance may be updated while the mint is still pending.
  await untilReady(wallet.send)
  await keyboard.press('Enter')
  await wallet.showsBalance('95.00 DEMO')
  expect(await has(wallet.amount)).toBe(true)
  await press(wallet.logOut, 'Shift+Tab')
  // Escape must close the dialog and return the focus to the button that opened it.
  await press(wallet.signIn)
  await expect.poll(() => has(wallet.email)).toBe(true)
  await keyboard.press('Escape')
  await expect.poll(() => has(wallet.signIn)).toBe(true)
})

const isInView = (place: Locator) =>
  place.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })

test('shows the result of a click on a phone, moves no card and keeps the focus', async () => {
  const { wallet } = await signUp({ devnet: stage.devnet, context: await stage.newContext() })
  const { page } = wallet
  await page.setViewportSize({ width: 360, height: 640 })
  await page.getByText('Nothing yet').waitFor()
  await expect.poll(() => page.locator('.blank').count()).toBe(0)
  const { has, untilReady } = createKeyboard(page)
  const tops = () =>
    page
      .locator('.card.send, .card.sign')
      .evaluateAll((cards) => cards.map((card) => Math.round(card.getBoundingClientRect().top + scrollY)))
  const topOf = (place: Locator) =>
    place.evaluate((element) => Math.round(element.getBoundingClientRect().top + scrollY))
  const before = await tops()
  await untilReady(wallet.mint)
  await wallet.mint.press('Enter')
  const done = page.getByRole('status').filter({ hasText: 'Minted 100 DEMO.' })
  await done.waitFor()
  // The page must scroll to the result.
  await expect.poll(() => isInView(done)).toBe(true)
  expect(await tops()).toEqual(before)

  // Submitting an invalid form must focus its first invalid field.
  await untilReady(wallet.send)
  await wallet.send.press('Enter')
  await expect.poll(() => has(wallet.to)).toBe(true)
  await wallet.to.fill('0x000000000000000000000000000000000000dEaD')
  await wallet.amount.fill('5')
  const place = await topOf(wallet.send)
  await wallet.preview.getByText('Free').waitFor()
  expect(await topOf(wallet.send)).toBe(place)
  await page.context().setOffline(true)
  await wallet.send.press('Enter')
  const failure = wallet.alert.filter({ hasText: 'Could not send 5.00 DEMO' })
  await failure.waitFor()
  await expect.poll(() => isInView(failure.locator('p').first())).toBe(true)
  expect(await has(wallet.send)).toBe(true)
  // The bar already shows that the page is offline. The preview is refetched automatically.
  await wallet.amount.fill('6')
  await wallet.preview.getByText('The preview appears once you’re back online.').waitFor()
  await page.context().setOffline(false)
  await wallet.preview.getByText('Free').waitFor()

  // If a button is removed, the focus must stay in its card. An opened form must get the focus.
  const { keyboard } = page
  for (const [open, field, close, card] of [
    ['Change your email address', 'New email address', 'Close', 'Sign-in methods'],
    ['Delete…', 'Type DELETE', 'Keep it', 'Delete my account'],
  ] as const) {
    const region = page.getByRole('region', { name: card })
    await region.getByRole('button', { name: open }).press('Enter')
    await expect.poll(() => has(region.getByRole('textbox', { name: field }))).toBe(true)
    await region.getByRole('button', { name: close }).press('Enter')
    await expect.poll(() => has(region)).toBe(true)
  }
  await wallet.importKey.press('Enter')
  await page.getByRole('region', { name: 'Waiting for your confirmation' }).waitFor()
  await expect.poll(() => has(wallet.importKey)).toBe(true)
  await wallet.logOut.press('Enter')
  const heading = page.getByRole('heading', { name: 'A wallet that opens with your email' })
  await expect.poll(() => has(heading)).toBe(true)
  await keyboard.press('Tab')
  await expect.poll(() => has(wallet.signIn)).toBe(true)
})

test('passes axe on the loading page and the legal pages', async () => {
  const { wallet } = await signUp({ devnet: stage.devnet, context: await stage.newContext() })
  const { page } = wallet
  await page.setViewportSize({ width: 360, height: 740 })
  const isPage = (url: URL) => /\/assets\/WalletPage-[^/]*\.js$/.test(url.pathname)
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  await page.route(isPage, (route) => gate.then(() => route.continue()))
  await page.reload()
  await page.getByRole('heading', { name: 'Opening your account…' }).waitFor()
  expect(await findFaults(page)).toEqual([])
  open()
  await wallet.signedInAddress()
  await page.unroute(isPage)
  const other = await page.context().newPage()
  for (const name of ['terms', 'support']) {
    await other.goto(new URL(`${name}.html`, stage.devnet.urls.wallet).href)
    expect([name, await findFaults(other)]).toEqual([name, []])
  }
  await other.close()
})
