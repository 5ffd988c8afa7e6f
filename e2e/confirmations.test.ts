import { addAuthenticator, readConfirmationMail } from 'latchkey-dev/testing'
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
