import { readMailCode } from '@latchkey/testkit/signer/enrollFactor'
import { createTotp } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { newEmail, signUp } from './signUp.ts'

const stage = setStage()

test('sets up a second factor, signs in with a recovery code, and removes it', async () => {
  const { devnet } = stage
  const email = newEmail()
  const { wallet } = await signUp({ devnet, context: await stage.newContext(), email })
  const { page } = wallet
  const factor = page.getByRole('region', { name: 'Second factor' })
  await factor.getByRole('button', { name: 'Set up an authenticator app' }).click()
  const url = (await factor.getByRole('link', { name: 'open the app on this device' }).getAttribute('href')) ?? ''
  await factor.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
  await factor.getByText(new URL(url).searchParams.get('secret') ?? '').waitFor()
  await factor.getByRole('textbox', { name: 'Code of the app' }).fill(createTotp(url).code())
  await factor.getByRole('button', { name: 'Turn on' }).click()
  await stage.confirm(email)
  const shown = await factor.getByRole('region', { name: 'Recovery codes' }).locator('pre').textContent()
  const codes = (shown ?? '').split('\n')
  expect(codes).toHaveLength(10)
  await factor.getByText('10 recovery codes left').waitFor()

  await page.getByRole('button', { name: 'Log out', exact: true }).click()
  await wallet.askForMail(email)
  await wallet.code.fill((await readMailCode(devnet, email, 1)).code)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0] ?? '')
  await page.keyboard.press('Enter')
  await wallet.signedInAddress()
  await factor.getByText('9 recovery codes left').waitFor()

  await factor.getByRole('button', { name: 'Remove', exact: true }).click()
  await wallet.confirm('Remove it')
  await stage.confirm(email, 1)
  await factor.getByRole('button', { name: 'Set up an authenticator app' }).waitFor()
})
