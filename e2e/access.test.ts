import { addAuthenticator } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'
import { setStage } from './setStage.ts'
import { newEmail, signInByMail } from './signUp.ts'

const stage = setStage()

test('default: passkeys are listed and removed; a removed one opens nothing any more', async () => {
  const { world } = stage
  const context = await stage.newContext()
  const wallet = await signInByMail({ world, context, email: newEmail(), prepare: addAuthenticator })
  await wallet.addOffered.click()
  await wallet.offer.waitFor({ state: 'hidden' })
  await wallet.removePasskey.click()
  await wallet.removePasskey.waitFor({ state: 'detached' })
  await wallet.logOut.click()
  await wallet.signIn.waitFor()
  await wallet.askForPasskey()
  await wallet.alert.filter({ hasText: 'No user found' }).waitFor()
})

test('behavior: signing out elsewhere ends the session of another browser, not this one', async () => {
  const { world } = stage
  const email = newEmail()
  const lost = await signInByMail({ world, context: await stage.newContext(), email })
  await lost.skip.click()
  const kept = await signInByMail({ world, context: await stage.newContext(), email, skip: 1 })
  expect(await kept.signedInAddress()).toBe(await lost.signedInAddress())
  await kept.signOutElsewhere.click()
  await kept.signOutElsewhere.waitFor({ state: 'detached' })
  await lost.mint.click()
  await lost.alert.waitFor()
  await kept.mint.click()
  await kept.showsBalance('100.00 DEMO')
})
