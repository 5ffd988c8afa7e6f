import { listColumnsWith } from '@latchkey/testkit/findInTables'
import { followDevnet, waitForMail } from 'latchkey-dev/testing'
import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { findFaults } from './findFaults.ts'
import { card, openConsole } from './openConsole.ts'
import { newEmail, signInByMail, signUp } from './signUp.ts'

// Starts its own devnet, because the tests change the clock.

const stage = setStage({})

async function newContext(): Promise<BrowserContext> {
  const context = await stage.newContext()
  await followDevnet(stage.devnet.clock, context)
  return context
}

test('moves the clock from the console, and shows ages by it', async () => {
  const page = await openConsole(await newContext(), stage.devnet.urls.console, 'devnet')
  await signUp({ devnet: stage.devnet, context: await newContext() })
  const before = stage.devnet.clock.now()
  await card(page, 'Clock').getByRole('button', { name: '+ 1h' }).click()
  await expect.poll(() => stage.devnet.clock.now() - before).toBeGreaterThanOrEqual(3_600_000)
  await card(page, 'Clock')
    .getByText(/^The devnet is .* ahead of this machine\.$/)
    .waitFor()
  await page.getByText(/Clock is .* ahead/).waitFor()
  await page.getByRole('link', { name: 'Emails', exact: true }).click()
  await card(page, 'Sent by the server')
    .getByRole('row')
    .nth(1)
    .getByText(/^(60 min|1 h) ago$/)
    .waitFor()
  await page.close()
})

test('deletes an account, brings it back, deletes it again, and destroys its data when its time is over', async () => {
  const { devnet } = stage
  const context = await newContext()
  const email = newEmail('leaving')
  const { wallet, address } = await signUp({ devnet, context, email })
  const { page } = wallet
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  const card = page.getByRole('region', { name: 'Delete my account' })
  await card.getByRole('button', { name: 'Delete…' }).click()
  const field = card.getByLabel('Type DELETE')
  await field.fill('delete it')
  await page.keyboard.press('Enter')
  await card.getByText('Type DELETE to continue.').waitFor()
  expect(await findFaults(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await findFaults(page)).toEqual([])

  const ask = async () => {
    await field.fill('delete')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Delete your account?' }).waitFor()
  }
  await ask()
  expect(await findFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await ask()
  await page.getByRole('button', { name: 'Delete it' }).press('Enter')
  await wallet.confirmation.waitFor()
  const title = await stage.confirm(email)
  expect(title).toContain('Delete')
  await page.getByRole('heading', { name: 'A wallet that opens with your email' }).waitFor()

  // The link in the notice also works in another browser.
  const other = await newContext()
  const notice = await waitForMail(devnet, email, {
    matching: ({ subject }) => /is being deleted$/i.test(subject),
  })
  const back = await other.newPage()
  await back.goto(notice.links.find((url) => url.includes('/confirm/#')) ?? '')
  await back.getByRole('button', { name: 'Keep my account' }).click()
  await back.getByRole('heading', { name: 'Account kept' }).waitFor()
  expect(await findFaults(back)).toEqual([])
  const again = await signInByMail({ devnet, context: other, email, skip: 1 })
  expect(await again.signedInAddress()).toBe(address)

  const last = again.page.getByRole('region', { name: 'Delete my account' })
  await last.getByRole('button', { name: 'Delete…' }).click()
  await last.getByLabel('Type DELETE').fill('DELETE')
  await last.getByRole('button', { name: 'Delete my account' }).click()
  await again.page.getByRole('button', { name: 'Delete it' }).click()
  await stage.confirm(email, 1)
  await again.page.getByRole('heading', { name: 'A wallet that opens with your email' }).waitFor()
  // The user has data in the tables of users, operations, e-mails, codes, webhooks and security events.
  const mailbox = email.split('@')[0] ?? ''
  const columnsWith = (text: string) => listColumnsWith(devnet.databaseUrl, text)
  expect(await columnsWith(mailbox)).toEqual(
    expect.arrayContaining(['users.email', 'activity_log.body', 'mail_outbox.recipient']),
  )
  await devnet.clock.advance('8d')
  await expect
    .poll(() => devnet.messages({ to: email }).some(({ subject }) => /account is deleted$/i.test(subject)))
    .toBe(true)
  // The purge deletes the last e-mail, and with it the last occurrence of the address.
  await devnet.clock.advance('1h')
  await expect.poll(() => columnsWith(mailbox)).toEqual([])
  // The gateway's rows contain only what is on the chain and identify no person; see docs/design/audit-log.md.
  expect(await columnsWith(address.slice(2))).toEqual([
    'operations.outcome',
    'operations.request',
    'operations.sender',
    'policy_spend.spender',
    'reservations.sender',
    'sponsorships.sender',
  ])
})
