import { readSignInMail } from 'latchkey-dev/testing'
import { beforeAll, expect, test } from 'vitest'
import { createKeyboard } from './createKeyboard.ts'
import { runFullJob } from './fullJob.ts'
import { runMainJob } from './mainJob.ts'
import { setStage } from './setStage.ts'
import { newEmail } from './signUp.ts'
import { openWallet } from './WalletPage.ts'

const stage = setStage()
let [main, full] = [] as unknown as [runMainJob.ReturnType, runFullJob.ReturnType]

beforeAll(async () => {
  const { world, browser } = stage
  ;[main, full] = await Promise.all([runMainJob({ world, browser }), runFullJob({ world, browser })])
})

const names = ({ steps }: runMainJob.ReturnType) => steps.map(({ step }) => step)

test('default: the main job', () => {
  expect(names(main)).toMatchInlineSnapshot(`
    [
      "open the wallet",
      "ask for the mail",
      "receive the mail",
      "open its link in a second tab",
      "second tab is signed in",
      "first tab is signed in without a click",
      "mint 100 DEMO (deploys the account)",
      "send 5 DEMO",
      "check the chain with a client of its own",
      "reload: still signed in, no new mail",
      "log out in both tabs",
    ]
  `)
  expect(main.userOpHash).toMatch(/^0x[0-9a-f]{64}$/)
  expect(main.txHash).toMatch(/^0x[0-9a-f]{64}$/)
})

test('default: a whole life with the wallet', () => {
  expect(names(full)).toMatchInlineSnapshot(`
    [
      "open the wallet",
      "ask for the mail",
      "receive the mail",
      "open its link: a passkey is offered",
      "add a passkey",
      "mint 100 DEMO (deploys the account)",
      "send 5 DEMO, signed by the e-mail session",
      "log out",
      "sign in by the passkey",
      "send 5 DEMO, signed by the passkey",
      "ask for the export: a mail asks back",
      "confirm it in the mail",
      "read the private key",
      "log out again",
      "check the chain with a client of its own",
      "move 1 DEMO by the exported key alone",
    ]
  `)
  expect(full.userOpHash).toMatch(/^0x[0-9a-f]{64}$/)
})

test('behavior: two people side by side have different accounts', () => {
  expect(main.address).not.toBe(full.address)
})

test('behavior: the main job by keyboard alone; the focus stays where the person is', async () => {
  const wallet = await openWallet(await stage.newContext(), stage.world.urls.wallet)
  const { keyboard } = wallet.page
  const { has, tabTo } = createKeyboard(wallet.page)
  await tabTo(wallet.signIn)
  await keyboard.press('Enter')
  await expect.poll(() => has(wallet.email)).toBe(true)
  const email = newEmail()
  await keyboard.type(email)
  await keyboard.press('Enter')
  await expect.poll(() => has(wallet.code)).toBe(true)
  const { code = '' } = await readSignInMail(stage.world, email)
  // As a person copies it from the mail.
  await keyboard.insertText(` ${code.slice(0, 3)} ${code.slice(3)} `)
  await tabTo(wallet.skip)
  await keyboard.press('Enter')
  await wallet.signedInAddress()
  expect(await wallet.page.evaluate(() => document.activeElement === document.body)).toBe(false)

  await tabTo(wallet.mint)
  await keyboard.press('Enter')
  await wallet.showsBalance('100.00 DEMO')
  expect(await has(wallet.mint)).toBe(true)
  await tabTo(wallet.to)
  await keyboard.type('0x000000000000000000000000000000000000dEaD')
  await tabTo(wallet.amount)
  await keyboard.type('5 DEMO')
  await keyboard.press('Enter')
  await wallet.showsBalance('95.00 DEMO')
  expect(await has(wallet.amount)).toBe(true)
  await tabTo(wallet.logOut, 'Shift+Tab')
  await keyboard.press('Enter')
  await tabTo(wallet.signIn)
  // Escape closes the dialog, and the focus is back on what opened it.
  await keyboard.press('Enter')
  await expect.poll(() => has(wallet.email)).toBe(true)
  await keyboard.press('Escape')
  await expect.poll(() => has(wallet.signIn)).toBe(true)
})
