import { confirmByMail } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { newEmail, signUp } from './signUp.ts'

const stage = setStage()

test('asks by email before it signs a payment above the limit', async () => {
  const email = newEmail()
  const { wallet } = await signUp({ devnet: stage.devnet, context: await stage.newContext(), email })
  const confirm = (skip: number) => confirmByMail(stage.devnet, email, { browser: stage.browser, skip })
  const card = wallet.page.getByRole('region', { name: 'Spending limit' })
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  await card.getByText('You have no limit.').waitFor()
  await card.getByRole('textbox', { name: 'Limit a day' }).fill('10 DEMO')
  await card.getByRole('button', { name: 'Set limit' }).click()
  expect(await confirm(0)).toBe('Change your spending limits?')
  await card.getByText('0.00 of 10.00 DEMO signed today.').waitFor()

  const send = async (amount: string) => {
    await wallet.to.fill(`0x${'d1'.repeat(20)}`)
    await wallet.amount.fill(amount)
    await wallet.send.click()
  }
  await send('4')
  await wallet.showsBalance('96.00 DEMO')
  await send('7')
  await wallet.confirmation.waitFor()
  expect(await confirm(1)).toBe('Send from your account?')
  await wallet.showsBalance('89.00 DEMO')
})
