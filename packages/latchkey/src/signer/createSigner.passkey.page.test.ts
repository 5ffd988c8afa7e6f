import { mailTabs, outcome, signedOut, status, statuses, stored } from '@latchkey/testkit/signer/mailTabs'
import { neutral, vectors } from '@latchkey/testkit/signer/vectors'
import type { Page } from 'playwright-core'
import { recoverMessageAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { addAuthenticator } from '../../../dev/src/testing/addAuthenticator.ts'
import type { AuthParameters } from './types.ts'

const tabs = mailTabs()
const { open } = tabs

const createNew = { type: 'passkey', createNew: true, username: 'ann' } as const
const logIn = { type: 'passkey', createNew: false } as const

const sign = async (tab: Page, text: string) =>
  recoverMessageAddress({
    message: text,
    signature: await tab.evaluate((message) => window.page.signer.signMessage(message), text),
  })
async function authenticate(tab: Page, parameters: AuthParameters) {
  await tab.evaluate((given) => window.page.authenticate(given), parameters)
  return outcome(tab)
}
async function signUp(): Promise<{ tab: Page; authenticator: addAuthenticator.ReturnType; credentialId: string }> {
  const tab = await open()
  const authenticator = await addAuthenticator(tab)
  const signedUp = await authenticate(tab, createNew)
  expect(signedUp?.code).toBeUndefined()
  return { tab, authenticator, credentialId: signedUp?.user?.credentialId ?? '' }
}

test('default: a new person, stored as documented, who signs with a prompt each', async () => {
  const { tab, authenticator, credentialId } = await signUp()
  const person = tabs.peer.findPerson(credentialId)
  expect(person).toBeDefined()
  expect(await tab.evaluate(() => window.page.signer.user)).toEqual({ ...person, credentialId })
  expect(await statuses(tab)).toEqual(['INITIALIZING', 'DISCONNECTED', 'AUTHENTICATING', 'CONNECTED'])
  expect((await authenticator.credentials()).map(({ userName }) => userName)).toEqual(['ann'])

  const session = JSON.parse((await stored(tab)) ?? '').state.session
  expect(JSON.stringify({ ...session, expirationDateMs: 0 })).toBe(
    JSON.stringify({
      type: 'passkey',
      user: { orgId: person?.orgId, address: person?.address, userId: person?.userId, credentialId },
      expirationDateMs: 0,
    }),
  )
  expect(await sign(tab, 'hello')).toBe(person?.address)
  // No frame is needed for any of it.
  expect(await tab.locator('iframe').count()).toBe(0)
})

test('behavior: a reload restores the session without a prompt or a request, and it signs', async () => {
  const { tab, credentialId } = await signUp()
  const before = tabs.peer.requests.length
  await tab.evaluate(() => sessionStorage.setItem('kept', '1'))
  await tab.reload()
  await status(tab, 'CONNECTED')
  expect(await statuses(tab)).toEqual(['INITIALIZING', 'CONNECTED'])
  expect(tabs.peer.requests).toHaveLength(before)
  expect(await sign(tab, 'again')).toBe(tabs.peer.findPerson(credentialId)?.address)
})

test('behavior: signing out and in again by the root organization finds the same person', async () => {
  const { tab, credentialId } = await signUp()
  const person = tabs.peer.findPerson(credentialId)
  await tab.evaluate(() => window.page.signer.disconnect())
  expect(await stored(tab)).toBe(signedOut)
  expect(await authenticate(tab, logIn)).toEqual({ user: { ...person, credentialId } })
  const whoami = tabs.peer.requests.find(({ path }) => path.endsWith('/whoami'))
  const { body } = JSON.parse(whoami?.body ?? '').stampedRequest
  expect(body).toBe(JSON.stringify({ organizationId: tabs.peer.rootOrgId }))
  expect(await sign(tab, 'back')).toBe(person?.address)
})

test('behavior: the requests are those of the documented wire, byte for byte', async () => {
  const { tab } = await signUp()
  await tab.evaluate(() => window.page.signer.signMessage('hello'))
  await tab.evaluate(() => window.page.signer.disconnect())
  await authenticate(tab, logIn)
  const { capturedTraffic } = vectors
  const seen = ['signup', 'sign-payload', 'whoami'].map(
    (name) => tabs.peer.requests.find(({ path }) => path === `/signer/v1/${name}`)?.body ?? '',
  )
  expect(seen.map(neutral)).toEqual(
    [capturedTraffic.passkeySignup, capturedTraffic.passkeySignPayload, capturedTraffic.passkeyWhoami].map(neutral),
  )
})

test('behavior: another tab of the browser is signed in and out with this one', async () => {
  const other = await open()
  await status(other, 'DISCONNECTED')
  const { tab, authenticator, credentialId } = await signUp()
  await status(other, 'CONNECTED')
  await authenticator.copyTo(other)
  expect(await sign(other, 'other tab')).toBe(tabs.peer.findPerson(credentialId)?.address)
  await tab.evaluate(() => window.page.signer.disconnect())
  await status(other, 'DISCONNECTED')
})

test('behavior: signatures asked for at once are prompted for one after another', async () => {
  const { tab, credentialId } = await signUp()
  const address = tabs.peer.findPerson(credentialId)?.address
  const signatures = await tab.evaluate(() =>
    Promise.all(['one', 'two', 'three'].map((text) => window.page.signer.signMessage(text))),
  )
  const signers = ['one', 'two', 'three'].map((message, index) =>
    recoverMessageAddress({ message, signature: signatures[index] ?? '0x' }),
  )
  expect(await Promise.all(signers)).toEqual([address, address, address])
})

test('behavior: the session ends at its time', async () => {
  tabs.extra = { expirationTimeMs: 1_500 }
  const { tab } = await signUp()
  await status(tab, 'DISCONNECTED')
  expect(await stored(tab)).toBe(signedOut)
})

test('behavior: a mail asked for is rejected for the passkey, and its link still signs in later', async () => {
  const tab = await open()
  await addAuthenticator(tab)
  await tab.evaluate(() => {
    const mail = window.page.signer.authenticate({ type: 'email', email: 'user@example.com' })
    Object.assign(window, { mail: mail.catch((error: { code: string }) => error.code) })
  })
  await status(tab, 'AWAITING_EMAIL_AUTH')
  expect((await authenticate(tab, createNew))?.user?.credentialId).toBeDefined()
  expect(await tab.evaluate(() => (window as unknown as { mail: Promise<string> }).mail)).toBe('SUPERSEDED')
  const later = await open(tabs.peer.mails[0]?.link)
  await status(later, 'CONNECTED')
  expect(await later.evaluate(() => window.page.signer.user?.email)).toBe('user@example.com')
  await tab.waitForFunction(() => window.page.signer.user?.email === 'user@example.com')
})

describe('what is refused', () => {
  test('error: no person has the passkey', async () => {
    const tab = await open()
    await addAuthenticator(tab)
    await tab.evaluate(() => window.page.passkeys.create({ username: 'stranger' }))
    const failure = await authenticate(tab, logIn)
    expect(failure?.code).toBe('NO_USER_FOUND')
    expect(failure?.message).toMatch(/^No user found\n/)
    await status(tab, 'DISCONNECTED')
    expect(await stored(tab)).toBe(signedOut)
  })

  test.each([logIn, createNew])('error: WebAuthn is missing: %j', async (parameters) => {
    const tab = await open()
    await tab.evaluate(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
    const failure = await authenticate(tab, parameters)
    expect(failure?.code).toBe('PASSKEY_UNSUPPORTED')
    expect(failure?.message).toContain('webauthn is not supported by this browser')
    await status(tab, 'DISCONNECTED')
  })

  test('error: no passkey is chosen; the session in use stays', async () => {
    const { tab, authenticator } = await signUp()
    const { user } = JSON.parse((await stored(tab)) ?? '').state.session
    await authenticator.clear()
    expect((await authenticate(tab, logIn))?.code).toBe('PASSKEY_CANCELLED')
    expect(await tab.evaluate(() => [window.page.signer.status, window.page.signer.user])).toEqual(['CONNECTED', user])
    const code = await tab.evaluate(() =>
      window.page.signer.signMessage('x').catch((error: { code: string }) => error.code),
    )
    expect(code).toBe('PASSKEY_CANCELLED')
  })

  test('error: an unknown transport makes no person', async () => {
    const tab = await open()
    await addAuthenticator(tab)
    await tab.evaluate(() => {
      AuthenticatorAttestationResponse.prototype.getTransports = () => ['smart-card']
    })
    const failure = await authenticate(tab, createNew)
    expect(failure?.message).toContain('unsupported transport format')
    expect(tabs.peer.requests.filter(({ path }) => path.endsWith('/signup'))).toEqual([])
  })

  test('behavior: signing out closes the prompt that waits', async () => {
    const tab = await open()
    await tab.evaluate((given) => window.page.authenticate(given), createNew)
    await status(tab, 'AUTHENTICATING')
    await tab.evaluate(() => window.page.signer.disconnect())
    await tab.waitForFunction(() => window.page.outcome !== undefined)
    expect(await tab.evaluate(() => window.page.outcome?.code)).toBe('ABORTED')
    // The browser's one prompt is free again.
    await addAuthenticator(tab)
    expect((await authenticate(tab, createNew))?.user).toBeDefined()
  })

  test('behavior: signing out closes the prompt of a signature', async () => {
    const { tab, authenticator } = await signUp()
    await authenticator.setPresent(false)
    const code = await tab.evaluate(async () => {
      const signature = window.page.signer.signMessage('x').catch((error: { code: string }) => error.code)
      setTimeout(() => window.page.signer.disconnect(), 200)
      return signature
    })
    expect(code).toBe('ABORTED')
  })

  test('param: rpId of another site', async () => {
    tabs.extra = { rpId: 'example.com' }
    const tab = await open()
    await addAuthenticator(tab)
    expect((await authenticate(tab, createNew))?.code).toBe('PASSKEY_FAILED')
  })
})
