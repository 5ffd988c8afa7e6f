import { listColumnsWith } from '@latchkey/testkit/findInTables'
import { waitForMail } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { findFaults } from './findFaults.ts'
import { newEmail, signInByMail, signUp } from './signUp.ts'

const stage = setStage()

test('default: an account is deleted, brought back, deleted again, and gone when its time is over', async () => {
  const { world } = stage
  const context = await stage.newContext()
  const email = newEmail('leaving')
  const { wallet, address } = await signUp({ world, context, email })
  const { page } = wallet
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  const card = page.getByRole('region', { name: 'Delete my account' })
  await card.getByRole('button', { name: 'Delete …' }).click()
  const field = card.getByLabel('Type DELETE')
  await field.fill('delete it')
  await page.keyboard.press('Enter')
  await card.getByText('Type DELETE to go on.').waitFor()
  expect(await findFaults(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await findFaults(page)).toEqual([])

  // By keyboard alone; the question takes no by Escape.
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
  await page.getByRole('heading', { name: 'A wallet that opens with your e-mail' }).waitFor()

  // The mail that says so has the way back, also for another browser.
  const other = await stage.newContext()
  const notice = await waitForMail(world, email, {
    matching: ({ subject }) => /is being deleted$/i.test(subject),
  })
  const back = await other.newPage()
  await back.goto(notice.links.find((url) => url.includes('/confirm/#')) ?? '')
  await back.getByRole('button', { name: 'Keep my account' }).click()
  await back.getByRole('heading', { name: 'Kept' }).waitFor()
  expect(await findFaults(back)).toEqual([])
  const again = await signInByMail({ world, context: other, email, skip: 1 })
  expect(await again.signedInAddress()).toBe(address)

  const last = again.page.getByRole('region', { name: 'Delete my account' })
  await last.getByRole('button', { name: 'Delete …' }).click()
  await last.getByLabel('Type DELETE').fill('DELETE')
  await last.getByRole('button', { name: 'Delete my account' }).click()
  await again.page.getByRole('button', { name: 'Delete it' }).click()
  await stage.confirm(email, 1)
  await again.page.getByRole('heading', { name: 'A wallet that opens with your e-mail' }).waitFor()
  // Traces everywhere: an account, operations, mails, codes, webhooks, security events.
  const mailbox = email.split('@')[0] ?? ''
  const columnsWith = (text: string) => listColumnsWith(world.databaseUrl, text)
  expect(await columnsWith(mailbox)).toEqual(
    expect.arrayContaining(['users.email', 'activity_log.body', 'mail_outbox.recipient']),
  )
  // Its last mail: the keys are destroyed.
  await world.clock.advance('8d')
  await expect
    .poll(() => world.messages({ to: email }).some(({ subject }) => /account is deleted$/i.test(subject)), {
      timeout: 60_000,
      interval: 500,
    })
    .toBe(true)
  // The address of that mail goes with the next sweep; then it is in no column of any table.
  await world.clock.advance('1h')
  await expect.poll(() => columnsWith(mailbox), { timeout: 60_000, interval: 500 }).toEqual([])
  // What the gateway paid and sent is the chain's, and names no person: decision 0970.
  expect(await columnsWith(address.slice(2))).toEqual([
    'operations.outcome',
    'operations.request',
    'operations.sender',
    'policy_spend.sender',
    'reservations.sender',
    'sponsorships.sender',
  ])
})
