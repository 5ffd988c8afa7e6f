import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { logOutForGood, newEmail, signInByMail, signUp } from './signUp.ts'

const stage = setStage()

test('changes an e-mail address after both mailboxes confirm, and signs in by the new one', async () => {
  const { devnet } = stage
  const context = await stage.newContext()
  const [email, next] = [newEmail(), newEmail('next')]
  const { wallet, address } = await signUp({ devnet, context, email })
  await wallet.setAddress(next)
  expect(await stage.confirm(email)).toBe('Change your email address?')
  await wallet.confirmation.getByText(`We sent it to ${next}.`).waitFor()
  expect(await stage.confirm(next)).toBe('Use this address to sign in?')
  await wallet.page.getByText(next).first().waitFor()
  await logOutForGood(wallet)
  const again = await signInByMail({ devnet, context, email: next })
  expect(await again.signedInAddress()).toBe(address)
})
