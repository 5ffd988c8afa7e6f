import { randomBytes } from 'node:crypto'
import { predictLightAccountAddress } from 'latchkey/accounts'
import { addAuthenticator, readConfirmationMail, signInAs } from 'latchkey-dev/testing'
import { getAddress, parseEther, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { card, openConsole } from '../../e2e/openConsole.ts'
import { type AccountOnChain, readChain, readDemo } from '../../e2e/readChain.ts'
import { newEmail, signUp } from '../../e2e/signUp.ts'
import { openWallet } from '../../e2e/WalletPage.ts'
import { setStage } from '../setStage.ts'

const stage = setStage()
const newRecipient = () => getAddress(toHex(randomBytes(20)))

async function openFunded() {
  const wallet = await openWallet(await stage.newContext(), stage.devnet.urls.wallet, addAuthenticator)
  await wallet.createPasskeyAccount()
  const address = await wallet.signedInAddress()
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  return { wallet, address }
}

function readAccount(account: `0x${string}`): Promise<AccountOnChain> {
  const { urls, addresses } = stage.devnet
  return readChain({
    nodeUrl: urls.node,
    account,
    entryPoint: addresses.entryPoints['0.6.0'],
    factory: addresses.lightAccount['v1.1.0'].factory,
    demo: addresses.demo,
  })
}

test('exports the seed phrase once the mail is confirmed', async () => {
  const email = newEmail()
  const { wallet, address } = await signUp({ devnet: stage.devnet, context: await stage.newContext(), email })
  await wallet.exportWallet.click()
  await wallet.confirmation.getByText(`We sent it to ${email}.`).waitFor()
  const mailbox = await (await stage.newContext()).newPage()
  await mailbox.goto(await readConfirmationMail(stage.devnet, email))
  await mailbox.getByRole('heading', { name: 'Show your recovery phrase?' }).waitFor()
  await mailbox.getByRole('button', { name: 'Show my recovery phrase' }).click()
  await mailbox.getByRole('heading', { name: 'Recovery phrase' }).waitFor()
  const phrase = (await mailbox.locator('#secret').textContent()) ?? ''
  expect(predictLightAccountAddress({ owner: mnemonicToAccount(phrase).address })).toBe(address)
  await wallet.page.getByText('Your recovery phrase was shown on the page from your email.').waitFor()
  const inApp = await wallet.page.evaluate(
    () => document.documentElement.outerHTML + JSON.stringify({ ...localStorage }),
  )
  expect(inApp).not.toContain(phrase)
  expect(await wallet.page.locator('iframe#turnkey-export-iframe').count()).toBe(0)
  await mailbox.getByRole('button', { name: "I've saved it" }).click()
  await mailbox.getByRole('heading', { name: 'Done' }).waitFor()
  expect(await mailbox.locator('#secret').textContent()).toBe('')
})

test('pays two recipients by one sponsored operation', async () => {
  const { wallet, address } = await openFunded()
  const [one, two] = [newRecipient(), newRecipient()]
  await wallet.to.fill(one)
  await wallet.amount.fill('5')
  await wallet.addRecipient.click()
  await wallet.toOther.fill(two)
  await wallet.amountOther.fill('7')
  await wallet.preview.filter({ hasText: /DEMO\s*− 12\.00/ }).waitFor()
  await wallet.send.click()
  await wallet.showsBalance('88.00 DEMO')
  const { urls, addresses } = stage.devnet
  const received = [one, two].map((holder) => readDemo({ nodeUrl: urls.node, demo: addresses.demo, holder }))
  expect(await Promise.all(received)).toEqual([parseEther('5'), parseEther('7')])
  const account = await readAccount(address)
  expect(account.eth).toBe(0n)
  const paid = { success: true, paymaster: addresses.paymasters['0.6.0'] }
  expect(account.operations).toMatchObject([paid, paid])
})

test('is still signed in after a reload, without a new mail, and sends', async () => {
  const email = newEmail()
  const { wallet, address } = await signUp({ devnet: stage.devnet, context: await stage.newContext(), email })
  await wallet.page.reload()
  expect(await wallet.signedInAddress()).toBe(address)
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  await wallet.page.reload()
  await wallet.showsBalance('100.00 DEMO')
  expect(stage.devnet.messages({ to: email })).toHaveLength(1)
})

test('shows the overview, the operations and one operation in the console', async () => {
  const { address } = await openFunded()
  const [operation] = (await readAccount(address)).operations
  const page = await openConsole(await stage.newContext(), stage.devnet.urls.console)
  await page.locator('.figure', { hasText: 'Included' }).getByText('100.0 %').waitFor()
  await page.getByRole('link', { name: 'Operations' }).first().click()
  await card(page, 'All operations').locator(`a[href="/operations/${operation?.userOpHash}"]`).click()
  await card(page, 'Details').getByText(address).waitFor()
  await card(page, 'Calls').getByText('mint(address,uint256)', { exact: true }).waitFor()
  await card(page, 'Timeline').getByText('Included', { exact: true }).first().waitFor()
})

test('adds and removes social sign-in, each confirmed by mail', async () => {
  const { devnet } = stage
  const email = newEmail()
  const context = await stage.newContext()
  const { wallet } = await signUp({ devnet, context, email })
  const methods = wallet.page.getByRole('region', { name: 'Sign-in methods' })
  await methods.getByRole('button', { name: 'Add social sign-in' }).click()
  await signInAs({ context, devnet }, `work-${randomBytes(4).toString('hex')}`)
  await stage.confirm(email)
  await methods.getByText('Account added.').waitFor()
  await methods.getByText('Devnet identity provider').waitFor()
  await methods.getByRole('button', { name: 'Remove', exact: true }).click()
  await wallet.confirm('Remove account')
  await stage.confirm(email, 1)
  await methods.getByText('Account removed.').waitFor()
  await expect.poll(() => methods.getByText('Devnet identity provider').count()).toBe(0)
})
