import type { BrowserContext } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { lookAt } from './lookAt.ts'
import { card, openConsole } from './openConsole.ts'
import { newEmail } from './signUp.ts'
import { openWallet, walletPage } from './WalletPage.ts'

const stage = setStage()
let context: BrowserContext

beforeAll(async () => {
  context = await stage.newSharedContext()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.devnet.urls.console })
})

const open = (path = '') => openConsole(context, stage.devnet.urls.console, path)

test('copies a code, opens a link and confirms a request from the inbox', async () => {
  const visitor = await stage.newContext()
  const first = await openWallet(visitor, stage.devnet.urls.wallet)
  const email = newEmail('link')
  await first.askForMail(email)
  await first.sent.waitFor()
  const page = await open('inbox')
  const code = page.getByRole('button', { name: /^Copy code \d{9}$/ })
  const digits = /\d{9}/.exec((await code.textContent()) ?? '')?.[0]
  await code.click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(digits)
  expect(digits).toBe(stage.devnet.messages()[0]?.code)
  await page.getByText('· opened').waitFor()
  const inbox = await visitor.newPage()
  await inbox.goto(`${stage.devnet.urls.console}/inbox`)
  const [opened] = await Promise.all([
    visitor.waitForEvent('page'),
    inbox.getByRole('link', { name: 'Open link' }).click(),
  ])
  const wallet = walletPage(opened)
  await wallet.skip.click()
  await wallet.signedInAddress()
  await first.page.close()

  await wallet.exportWallet.click()
  const [confirm] = await Promise.all([
    visitor.waitForEvent('page'),
    inbox.getByRole('link', { name: 'Open and confirm' }).click(),
  ])
  await confirm.getByRole('button', { name: 'Show my recovery phrase' }).click()
  await confirm.getByRole('heading', { name: 'Recovery phrase' }).waitFor()
  expect(((await confirm.locator('#secret').textContent()) ?? '').split(' ')).toHaveLength(12)
  await page.close()
})

test('creates, narrows and rotates an API key, shows it once and ends it after a second click', async () => {
  const page = await open('keys')
  const name = '<img src=x onerror="hacked=1">'
  const form = card(page, 'New key')
  await form.getByRole('textbox', { name: 'Name' }).fill(name)
  await form.getByRole('textbox', { name: 'Chain IDs' }).fill(`${stage.devnet.chainId}, 10`)
  await form.getByRole('textbox', { name: 'Requests per minute' }).fill('600')
  await form.getByRole('button', { name: 'Create key' }).click()
  const secret = (await page.locator('code.secret').textContent()) ?? ''
  expect(secret).toMatch(/^\S{20,}$/)
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  expect(await page.content()).not.toContain(secret)
  const row = card(page, 'API keys').getByRole('row', { name })
  await row.getByText('600 requests/min', { exact: true }).waitFor()
  await row.getByText(`${stage.devnet.chainId}, 10`, { exact: true }).waitFor()

  await row.getByRole('button', { name: `Edit ${name}` }).click()
  const edited = card(page, `Edit ${name}`)
  await lookAt(page, 'edit-key')
  await edited.getByRole('textbox', { name: /^JSON-RPC methods/ }).fill('eth_*, nonsense method')
  await edited.getByRole('textbox', { name: 'Compute units per minute' }).fill('5000')
  await edited.getByRole('button', { name: 'Save' }).click()
  await row.getByText('600 requests/min, 5,000 units/min', { exact: true }).waitFor()
  await row.getByText('eth_*, nonsense, method', { exact: true }).waitFor()

  await row.getByRole('button', { name: `Rotate ${name}` }).click()
  await card(page, `Rotate ${name}`).getByRole('combobox').selectOption('Works for another hour')
  await card(page, `Rotate ${name}`).getByRole('button', { name: 'Create new key' }).click()
  expect(await page.locator('code.secret').textContent()).not.toBe(secret)
  await row.getByText(/^Expires /).waitFor()
  const fresh = row.filter({ hasText: 'Active' })
  await fresh.getByRole('button', { name: `Revoke ${name}`, exact: true }).click()
  await fresh.getByText('Active').waitFor()
  await fresh.getByRole('button', { name: `Yes, revoke ${name}` }).click()
  await row.getByText('Revoked').waitFor()
  expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)

  await page.goto(`${stage.devnet.urls.console}/log`)
  const log = card(page, 'Operator actions')
  for (const action of ['apiKey.disable', 'apiKey.rotate', 'apiKey.update', 'apiKey.create'])
    await log.getByText(action, { exact: true }).first().waitFor()
  const chain = card(page, 'Log integrity')
  await chain.getByText('Intact', { exact: true }).waitFor()
  await chain.getByText(/^\d+ entries, all verified\./).waitFor()
  await log.getByRole('link', { name: 'Devnet' }).first().click()
  await log.getByText('Only Devnet.').waitFor()
  await page.close()
})
