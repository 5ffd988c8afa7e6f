import {
  authenticate,
  devnetTabs,
  newEmail,
  readStatus,
  refusal,
  sign,
  status,
} from '@latchkey/testkit/signer/devnetTabs'
import { enrollFactor, readMailCode } from '@latchkey/testkit/signer/enrollFactor'
import { readSignInMail, signInAs } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'

const tabs = devnetTabs()

/** Signs a new user up by email, with a second factor, and out again. */
async function signUp() {
  const { asking: tab, email, opened } = await tabs.signIn()
  await opened.close()
  const user = await tab.evaluate(() => window.page.signer.user)
  const factor = await enrollFactor(tab, () => tabs.confirm(email))
  await tab.evaluate(() => window.page.signer.disconnect())
  return { tab, email, user, ...factor }
}
type Person = Awaited<ReturnType<typeof signUp>>

/** Asks for an email and passes its code, until the signer waits for the second factor. */
async function enterCode({ tab, email }: Person) {
  await tab.evaluate((given) => window.page.start({ email: given }), email)
  await status(tab, 'AWAITING_EMAIL_AUTH')
  const { code, hasLink } = await readMailCode(tabs.devnet, email, 1)
  const signedIn = authenticate(tab, { type: 'email', code })
  await status(tab, 'AWAITING_MFA_AUTH')
  return { signedIn: { result: signedIn }, hasLink }
}
const validate = ({ tab }: Person, multiFactorCode: string) =>
  tab.evaluate((code) => window.page.signer.validateMultiFactors({ multiFactorCode: code }), multiFactorCode)

test('signs in by code and factor, which it asks for again after a wrong one', async () => {
  const person = await signUp()
  const { tab, app, user } = person
  const { signedIn, hasLink } = await enterCode(person)
  expect(hasLink).toBe(false)
  const wrong = await refusal(tab, 'validateMultiFactors', { multiFactorCode: '000000' })
  expect(wrong).toMatchObject({ code: 'MFA_INVALID', message: expect.stringContaining('Invalid MFA code') })
  expect(await readStatus(tab)).toBe('AWAITING_MFA_AUTH')
  expect(await validate(person, app.code({ ahead: 1 }))).toEqual(user)
  expect(await readStatus(tab)).toBe('CONNECTED')
  expect((await signedIn.result).user).toEqual(user)
  expect(await sign(tab)).toBe(user?.address)
  expect(await refusal(tab, 'validateMultiFactors', { multiFactorCode: '000000' })).toMatchObject({
    code: 'REQUEST_INVALID',
  })
})

test('signs in by recovery code, lists what is left, and removes the factor', async () => {
  const person = await signUp()
  const { tab, email, recoveryCodes, multiFactorId } = person
  await enterCode(person)
  await validate(person, recoveryCodes[0] ?? '')
  const list = () => tab.evaluate(() => window.page.signer.getMfaFactors())
  expect(await list()).toEqual({ multiFactors: [{ multiFactorId, multiFactorType: 'totp', recoveryCodesLeft: 9 }] })
  const removed = tab.evaluate((id) => window.page.signer.removeMfa({ multiFactorIds: [id] }), multiFactorId)
  await tabs.confirm(email, 1)
  expect(await removed).toEqual({ multiFactors: [] })
  expect(await list()).toEqual({ multiFactors: [] })
})

test('leaves a sign-in that waits for the factor by signing out', async () => {
  const person = await signUp()
  const { tab } = person
  const { signedIn } = await enterCode(person)
  await tab.evaluate(() => window.page.signer.disconnect())
  expect((await signedIn.result).code).toBe('ABORTED')
  expect(await refusal(tab, 'validateMultiFactors', { multiFactorCode: '000000' })).toMatchObject({
    code: 'REQUEST_INVALID',
  })
})

test('signs in by a link that is mailed after the factor', async () => {
  const { tab, email, app, multiFactorId, user } = await signUp()
  const request = { type: 'email', email, emailMode: 'magicLink' } as const
  const refused = await tab.evaluate(
    (given) => window.page.signer.authenticate(given).catch((error) => [error.code, error.multiFactors]),
    request,
  )
  expect(refused).toEqual(['MFA_REQUIRED', [{ multiFactorId, multiFactorType: 'totp' }]])
  const multiFactors = [{ multiFactorId, multiFactorCode: app.code({ ahead: 1 }) }]
  const signedIn = authenticate(tab, { ...request, multiFactors })
  const { link } = await readSignInMail(tabs.devnet, email, { skip: 1, linkTo: tabs.page.url })
  await tabs.open(link)
  expect((await signedIn).user).toEqual(user)
})

test('signs in by an identity provider and factor', async () => {
  const name = `ann-${crypto.randomUUID().slice(0, 8)}`
  const tab = await tabs.open()
  const request = { type: 'oauth', provider: 'dev' } as const
  const [{ user }] = await Promise.all([authenticate(tab, request), signInAs(tabs, name)])
  const { app } = await enrollFactor(tab, () => tabs.confirm(`${name}@example.com`))
  await tab.evaluate(() => window.page.signer.disconnect())
  const signedIn = authenticate(tab, request)
  await signInAs(tabs, name)
  await status(tab, 'AWAITING_MFA_AUTH')
  const wrong = await refusal(tab, 'validateMultiFactors', { multiFactorCode: '000000' })
  expect(wrong).toMatchObject({ code: 'MFA_INVALID', message: expect.stringContaining('Invalid MFA code') })
  const multiFactorCode = app.code({ ahead: 1 })
  await tab.evaluate((given) => window.page.signer.validateMultiFactors(given), { multiFactorCode })
  expect((await signedIn).user).toEqual(user)
})

test('asks nothing of users without a factor', async () => {
  const { asking } = await tabs.signIn(newEmail())
  expect(await asking.evaluate(() => window.page.signer.getMfaFactors())).toEqual({ multiFactors: [] })
})
