import { readSignInMail } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'
import { setStage } from './setStage.ts'
import { newEmail } from './signUp.ts'
import { openWallet } from './WalletPage.ts'

const stage = setStage()

test('default: the code of the mail signs in where it was asked for; a wrong one says how many are left', async () => {
  const { world } = stage
  const email = newEmail()
  const wallet = await openWallet(await stage.newContext(), world.urls.wallet)
  await wallet.askForMail(email)
  const { code = '' } = await readSignInMail(world, email)
  expect(code).toMatch(/^\d{6}$/)
  await wallet.code.fill(code === '000000' ? '000001' : '000000')
  await wallet.alert.filter({ hasText: 'The code is not right. 4 attempts are left.' }).waitFor()
  await wallet.code.fill(code)
  expect(await wallet.signedInAddress()).toMatch(/^0x[0-9a-fA-F]{40}$/)
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
})

test('behavior: a link opened in another browser explains itself, and both ways on work', async () => {
  const { world } = stage
  const email = newEmail()
  const asked = await openWallet(await stage.newContext(), world.urls.wallet)
  await asked.askForMail(email)
  const { link, code = '' } = await readSignInMail(world, email)

  const elsewhere = await openWallet(await stage.newContext(), link)
  await elsewhere.elsewhere.waitFor()
  await elsewhere.signInHere.click()
  await elsewhere.email.fill(email)
  await elsewhere.continue.click()
  const again = await readSignInMail(world, email, { skip: 1 })

  // The first browser still waits for its own mail.
  await asked.code.fill(code)
  const address = await asked.signedInAddress()

  const second = await openWallet(elsewhere.page.context(), again.link)
  expect(await second.signedInAddress()).toBe(address)
  expect(await elsewhere.signedInAddress()).toBe(address)
})
