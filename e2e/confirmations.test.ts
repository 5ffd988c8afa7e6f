import { findViolations } from '@latchkey/testkit/react/findViolations'
import { readConfirmationMail } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'
import { exportedSecret } from './exportedSecret.ts'
import { setStage } from './setStage.ts'
import { newEmail, signUp } from './signUp.ts'

const stage = setStage()

test('default: an export waits until the person confirms it on the page of the mail', async () => {
  const { world } = stage
  const context = await stage.newContext()
  const email = newEmail()
  const { wallet } = await signUp({ world, context, email })
  await wallet.exportWallet.click()
  const link = await readConfirmationMail(world, email)
  const page = await context.newPage()
  const response = await page.goto(link)
  expect(response?.headers()).toMatchObject({
    'x-frame-options': 'DENY',
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
  })
  await page.getByRole('heading', { name: 'Show the seed phrase of a wallet?' }).waitFor()
  await page.getByText(email).waitFor()
  // The frame shows the same key while it waits.
  const fingerprint = (await page.getByText(/^[0-9a-f]{4}( [0-9a-f]{4}){3}$/).textContent()) ?? ''
  await wallet.page.frameLocator('#turnkey-export-iframe').getByText(fingerprint, { exact: true }).waitFor()
  expect(await findViolations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await findViolations(page, ['color-contrast'])).toEqual([])
  // The secret is not in the address bar, and showing the page has confirmed nothing.
  expect(page.url()).not.toContain('#')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('heading', { name: 'Confirmed' }).waitFor()
  await page.close()
  expect((await exportedSecret(wallet.page)).split(' ')).toHaveLength(12)
})

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
  expect(await wallet.page.locator('iframe#turnkey-export-iframe').count()).toBe(0)
})
