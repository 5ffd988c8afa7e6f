import type { Page } from '@playwright/test'
import { expect, test } from 'latchkey-dev/playwright'

/* Tests as a developer would write them for an app of `create-latchkey`. packaging/strangersApp.test.ts runs them. */

const email = () => `ada-${crypto.randomUUID().slice(0, 8)}@example.com`
const said = (page: Page) => page.locator('main [role=status]')

async function askForMail(page: Page, address: string): Promise<void> {
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill(address)
  await page.keyboard.press('Enter')
}

const sendInPage = (page: Page) => page.getByRole('button', { name: 'Send an operation' }).click()

test('signs up by the link of a mail in a second tab', async ({ page, context, inbox }) => {
  const address = email()
  await askForMail(page, address)
  const second = await context.newPage()
  await second.goto(await inbox.waitForLink(address))
  await expect(second.getByText(address)).toBeVisible()
})

test('signs up with a passkey of the device', async ({ page, passkey }) => {
  const device = await passkey.add()
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Create a passkey account' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible()
  expect(await device.credentials()).toHaveLength(1)
})

test('explains a closed passkey prompt', async ({ page, passkey }) => {
  const device = await passkey.addSoftware()
  device.setMood('cancels')
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Create a passkey account' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
  device.setMood('agrees')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible()
})

test('sends sponsored operations for a named person', async ({ page, wallet }) => {
  const { address } = await wallet.as('ada', 'passkey')
  await page.goto('/')
  await expect(page.getByText(address)).toBeVisible()
  await sendInPage(page)
  await expect(said(page)).toContainText('Included')
  expect(await wallet.send([{ target: address }, { target: address }])).toBeSponsored()
})

test('signs the same person in without another sign-in', async ({ page, wallet }, { annotations }) => {
  await wallet.as('ada', 'passkey')
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible()
  expect(annotations.filter(({ type }) => type === 'latchkey')).toEqual([])
})

test("shows the reason of a bundler's refusal", async ({ page, wallet, faults }) => {
  const { address } = await wallet.signIn()
  await page.goto('/')
  await faults.begin('bundler-refuses', { reason: 'AA25 invalid account nonce' })
  await sendInPage(page)
  await expect(said(page)).toContainText('AA25')
  expect(await wallet.send({ target: address })).toHaveReverted('AA25')
})

test('signs out without storage', async ({ page, wallet, faults }) => {
  await wallet.signIn()
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible()
  await faults.begin('storage-purged')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
})

test('ends a session after 15 minutes', async ({ page, wallet, clock }) => {
  await wallet.signIn()
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible()
  await clock.advance('16m')
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
})
