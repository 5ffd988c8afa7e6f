import { addAuthenticator, readSignInMail } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'
import { checkChain, followLink, logOut, mint, runJob, send } from '../../e2e/jobSteps.ts'
import { linkFor, logOutForGood, newEmail, signInByCode } from '../../e2e/signUp.ts'
import { openWallet } from '../../e2e/WalletPage.ts'
import { setStage } from '../setStage.ts'

const stage = setStage()

test('signs up by the link of a mail, sends a sponsored operation and logs out', async () => {
  await runJob(stage, async (job) => {
    const wallet = await openWallet(job.context, job.devnet.urls.wallet)
    await wallet.askForMail(job.email)
    await wallet.sent.waitFor()
    await wallet.page.goto(await linkFor(job.devnet, job.email))
    await wallet.skip.click()
    const address = await wallet.signedInAddress()
    expect(new URL(wallet.page.url()).search).not.toMatch(/bundle|orgId/)
    await mint(job, wallet)
    await send(job, wallet, { name: 'send', balance: '95.00 DEMO' })
    await logOut(wallet)
    return checkChain(job, { address, sends: 1 })
  })
})

test('signs up by passkey, sends, logs out and signs in again', async () => {
  const wallet = await openWallet(await stage.newContext(), stage.devnet.urls.wallet, addAuthenticator)
  await wallet.createPasskeyAccount()
  const address = await wallet.signedInAddress()
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  await logOut(wallet)
  await wallet.askForPasskey()
  expect(await wallet.signedInAddress()).toBe(address)
  await wallet.showsBalance('100.00 DEMO')
})

test('signs in by the code of a mail after a wrong one', async () => {
  const email = newEmail()
  const wallet = await openWallet(await stage.newContext(), stage.devnet.urls.wallet)
  await wallet.askForMail(email)
  await wallet.sent.waitFor()
  const { code = '' } = await readSignInMail(stage.devnet, email)
  await wallet.code.pressSequentially(code === '000000000' ? '000000001' : '000000000')
  await wallet.alert.filter({ hasText: "That code isn't right. 4 tries left." }).waitFor()
  await expect.poll(() => wallet.code.inputValue()).toBe('')
  // Typing without a click: the field must still have the focus.
  await wallet.page.keyboard.type(code)
  await wallet.skip.click()
  const address = await wallet.signedInAddress()
  await logOutForGood(wallet)
  await wallet.askForMail(email)
  await wallet.sent.waitFor()
  await signInByCode(wallet, stage.devnet, email, 1)
  expect(await wallet.signedInAddress()).toBe(address)
})

test('signs both tabs in when the link opens in a second tab', async () => {
  await runJob(stage, async (job) => {
    const { first, second } = await followLink(job, { name: 'open the link', until: 'completing' })
    await second.skip.click()
    const address = await second.signedInAddress()
    expect(await first.signedInAddress()).toBe(address)
    await first.page.bringToFront()
    await mint(job, first)
    const outcome = await checkChain(job, { address, sends: 0 })
    await logOut(first, [second])
    return outcome
  })
})
