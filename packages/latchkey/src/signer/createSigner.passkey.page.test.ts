import {
  authenticate,
  devnetTabs,
  newEmail,
  readStatus,
  refusal,
  sign,
  status,
} from '@latchkey/testkit/signer/devnetTabs'
import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { around } from '@latchkey/testkit/signer/startPage'
import { documented, neutral, vectors } from '@latchkey/testkit/signer/vectors'
import { addAuthenticator, createSoftwarePasskey, readSignInMail } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { recoverMessageAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const tabs = devnetTabs()
const { open, ask } = tabs

const createNew = { type: 'passkey', createNew: true, username: 'ann' } as const
const logIn = { type: 'passkey', createNew: false } as const
const sent = (name: string) => tabs.requests.filter(({ path }) => path.endsWith(`/${name}`))

test('signs up, stores the documented session, and signs after a reload and in another tab', async () => {
  const [tab, other] = [await open(), await open()]
  const authenticator = await addAuthenticator(tab)
  const { user } = await authenticate(tab, createNew)
  expect((await authenticator.credentials()).map(({ userName }) => userName)).toEqual(['ann'])
  const session = await tab.evaluate(
    () => JSON.parse(localStorage.getItem('alchemy-signer-session') ?? '').state.session,
  )
  expect(JSON.stringify({ ...session, expirationDateMs: 0 })).toBe(
    JSON.stringify({
      type: 'passkey',
      user: { orgId: user?.orgId, address: user?.address, userId: user?.userId, credentialId: user?.credentialId },
      expirationDateMs: 0,
    }),
  )
  expect(await sign(tab)).toBe(user?.address)
  expect(await tab.locator('iframe').count()).toBe(0)
  await status(other, 'CONNECTED')
  const before = tabs.requests.length
  await tab.reload()
  await status(tab, 'CONNECTED')
  expect(await tab.evaluate(() => window.page.statuses)).toEqual(['INITIALIZING', 'CONNECTED'])
  expect(tabs.requests).toHaveLength(before)
  const texts = ['one', 'two']
  const signatures = await tab.evaluate(
    (all) => Promise.all(all.map((text) => window.page.signer.signMessage(text))),
    texts,
  )
  for (const [index, message] of texts.entries())
    expect(await recoverMessageAddress({ message, signature: signatures[index] ?? '0x' })).toBe(user?.address)
  await authenticator.copyTo(other)
  expect(await sign(other)).toBe(user?.address)
  await tab.evaluate(() => window.page.signer.disconnect())
  await status(other, 'DISCONNECTED')
})

test('sends the documented requests byte for byte', async () => {
  const tab = await open()
  await addAuthenticator(tab)
  await authenticate(tab, createNew)
  await sign(tab)
  await tab.evaluate(() => window.page.signer.disconnect())
  await authenticate(tab, logIn)
  const { capturedTraffic } = vectors
  expect(['signup', 'sign-payload', 'whoami'].map((name) => neutral(documented(sent(name)[0]?.body ?? '')))).toEqual(
    [capturedTraffic.passkeySignup, capturedTraffic.passkeySignPayload, capturedTraffic.passkeyWhoami].map(neutral),
  )
  const whoami = JSON.parse(sent('whoami')[0]?.body ?? '').stampedRequest.body
  expect(JSON.parse(whoami).organizationId).toBe(tabs.devnet.rootOrganizationId)
})

test.each<[name: string, install: (tab: Page) => Promise<unknown>]>([
  ['software without user verification', (tab) => createSoftwarePasskey({ verifiesUser: false }).installIn(tab)],
  ['a USB security key', (tab) => addAuthenticator(tab, { transport: 'usb' })],
  [
    'a password manager that answers with plain objects',
    async (tab) => {
      await tab.addInitScript(answerPlainly)
      await addAuthenticator(tab)
    },
  ],
])('signs up, signs, and signs in again with %s', async (_, install) => {
  const tab = await open()
  await install(tab)
  await tab.reload()
  await tab.waitForFunction(() => window.page !== undefined)
  const { user } = await authenticate(tab, createNew)
  expect(await sign(tab)).toBe(user?.address)
  await tab.reload()
  await status(tab, 'CONNECTED')
  expect(await sign(tab)).toBe(user?.address)
  await tab.evaluate(() => window.page.signer.disconnect())
  expect((await authenticate(tab, logIn)).user).toMatchObject({ orgId: user?.orgId, address: user?.address })
  expect(await sign(tab)).toBe(user?.address)
})

/**
 * Replaces the browser's results with plain objects that have an unknown transport, as password manager extensions do.
 */
function answerPlainly(): void {
  const { create, get } = navigator.credentials
  const copy = ({ id, rawId, type, response }: PublicKeyCredential) => {
    const names = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']
    const members = names.filter((name) => name in response).map((name) => [name, Reflect.get(response, name)])
    const getTransports = () => ['internal', 'quantum']
    return { id, rawId, type, response: { ...Object.fromEntries(members), getTransports } } as unknown as Credential
  }
  const answer = (found: Promise<Credential | null>) => found.then((one) => one && copy(one as PublicKeyCredential))
  navigator.credentials.create = (options) => answer(create.call(navigator.credentials, options))
  navigator.credentials.get = (options) => answer(get.call(navigator.credentials, options))
}

test('signs in to an email account with a passkey added to it', async () => {
  const { opened: tab, email } = await tabs.signIn()
  const authenticator = await addAuthenticator(tab)
  const user = await tab.evaluate(() => window.page.signer.user)
  const [id] = await tab.evaluate(() => window.page.signer.addPasskey())
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect((await authenticator.credentials())[0]?.userName).toBe(email)
  const [request] = sent('create_authenticators')
  expect(neutral(request?.body ?? '')).toBe(neutral(vectors.capturedTraffic.createAuthenticators))
  const body = JSON.parse(request?.body ?? '')
  expect(body.parameters.authenticators[0].authenticatorName).toBe(`passkey-${body.timestampMs}`)
  expect(request?.headers).toHaveProperty('x-stamp')
  expect(request?.headers).not.toHaveProperty('authorization')
  await tab.evaluate(() => window.page.signer.disconnect())
  expect((await authenticate(tab, logIn)).user).toMatchObject({ ...user, credentialId: expect.any(String) })
})

test('closes the prompts of a sign-in and of a signature on sign-out', async () => {
  const tab = await open()
  await tab.evaluate((given) => window.page.authenticate(given), createNew)
  await status(tab, 'AUTHENTICATING')
  await tab.evaluate(() => window.page.signer.disconnect())
  await tab.waitForFunction(() => window.page.outcome !== undefined)
  expect(await tab.evaluate(() => window.page.outcome?.code)).toBe('ABORTED')
  // The browser allows only one open prompt.
  const authenticator = await addAuthenticator(tab)
  expect((await authenticate(tab, createNew)).user).toBeDefined()
  await authenticator.setPresent(false)
  const code = await tab.evaluate(async () => {
    const signature = window.page.signer.signMessage('x').catch((error: { code: string }) => error.code)
    setTimeout(() => window.page.signer.disconnect(), 200)
    return signature
  })
  expect(code).toBe('ABORTED')
})

describe('by passkey', () => {
  test('signs in each of two users with their own verified passkey', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab)
    const first = await authenticate(tab, createNew)
    const [one] = await device.credentials()
    await tab.evaluate(() => window.page.signer.disconnect())
    await device.clear()
    const second = await authenticate(tab, createNew)
    expect(second.user?.address).not.toBe(first.user?.address)
    // The device has both passkeys, and the session must request its own.
    if (one) await device.add(one)
    expect(await device.credentials()).toHaveLength(2)
    expect(await sign(tab)).toBe(second.user?.address)
    await tab.evaluate(() => window.page.signer.disconnect())
    await device.clear()
    if (one) await device.add(one)
    await device.setUserVerified(false)
    // Without user verification an authenticator does not sign, even if verification is only preferred.
    expect((await authenticate(tab, logIn)).code).toBe('PASSKEY_CANCELLED')
    expect(await readStatus(tab)).toBe('DISCONNECTED')
    await device.setUserVerified(true)
    expect((await authenticate(tab, logIn)).user?.address).toBe(first.user?.address)
    expect(await sign(tab)).toBe(first.user?.address)
  })

  test('lists, adds and removes passkeys, but never the last credential', async () => {
    const tab = await open()
    await addAuthenticator(tab)
    const { user } = await authenticate(tab, createNew)
    expect((await refusal(tab, 'addPasskey', undefined)).code).toBe('PASSKEY_EXISTS')
    const other = await addAuthenticator(tab, { transport: 'usb' })
    const [id] = await tab.evaluate(() => window.page.signer.addPasskey())
    // The default name contains host and date.
    const [named] = await other.credentials()
    expect(named?.userName).toMatch(new RegExp(`^localhost, .*${new Date().getFullYear()}`))
    expect(sent('create_authenticators').at(-1)?.headers).toHaveProperty('x-stamp-webauthn')
    const listed = await tab.evaluate(() => window.page.signer.listAuthenticators())
    expect(listed).toHaveLength(2)
    expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false])
    expect(listed[0]?.credentialId).toBe(user?.credentialId)
    expect(listed[1]).toMatchObject({ id, name: expect.stringMatching(/^passkey-\d{13}$/), provider: null })
    await tab.evaluate((given) => window.page.signer.removeAuthenticator(given ?? ''), id)
    expect(await tab.evaluate(() => window.page.signer.listAuthenticators())).toHaveLength(1)
    const { code, message } = await refusal(tab, 'removeAuthenticator', listed[0]?.id)
    expect([code, message]).toEqual(['HTTP_FAILED', expect.stringMatching(/^Turnkey error \d+: /)])
  })

  test('offers passkeys in a form field', async () => {
    const tab = await open()
    await addAuthenticator(tab, { hasAutofill: true })
    const { user } = await authenticate(tab, createNew)
    await tab.evaluate(() => window.page.signer.disconnect())
    // The virtual authenticator picks a passkey immediately.
    const picked = await tab.evaluate(async () => {
      const input = document.createElement('input')
      input.autocomplete = 'username webauthn' as AutoFill
      document.body.append(input)
      const offered = window.page.signer.authenticate({ type: 'passkey', createNew: false, mediation: 'conditional' })
      const atOnce = window.page.signer.status
      return [atOnce, (await offered).address, window.page.signer.status]
    })
    expect(picked).toEqual(['DISCONNECTED', user?.address, 'CONNECTED'])
  })

  test('signs in with a passkey on the device, fails without a prompt if there is none, and reports an unsupported browser', async () => {
    const tab = await open()
    const atHand = async () => (await authenticate(tab, { ...logIn, mediation: 'immediate' })).code ?? 'done'
    const device = await addAuthenticator(tab)
    expect(await atHand()).toBe('PASSKEY_CANCELLED')
    expect(await readStatus(tab)).toBe('DISCONNECTED')
    await authenticate(tab, createNew)
    await tab.evaluate(() => window.page.signer.disconnect())
    expect(await atHand()).toBe('done')
    await tab.evaluate(() => window.page.signer.disconnect())
    await tab.evaluate(() => {
      PublicKeyCredential.getClientCapabilities = () => Promise.resolve({})
    })
    expect(await atHand()).toBe('PASSKEY_UNSUPPORTED')
    expect(await device.credentials()).toHaveLength(1)
  })

  test('replaces an offer by any other sign-in', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab, { hasAutofill: true })
    await device.setPresent(false)
    await tab.evaluate(() => {
      const offered = window.page.signer.authenticate({ type: 'passkey', createNew: false, mediation: 'conditional' })
      Object.assign(window, { offered: offered.catch((error: { code: string }) => error.code) })
    })
    expect(await readStatus(tab)).toBe('DISCONNECTED')
    await ask(tab, newEmail())
    expect(await tab.evaluate(() => (window as unknown as { offered: Promise<string> }).offered)).toBe('SUPERSEDED')
  })

  describe('in a page of another site', () => {
    /** Page of an origin that the project does not allow. */
    let unlisted: Listening
    beforeAll(async () => {
      const page = await listen((_request, response) => {
        response.setHeader('content-type', 'text/html')
        response.end(around(`${tabs.page.url}/`, true))
      })
      unlisted = { ...page, url: page.url.replace('localhost', '127.0.0.1') }
    })
    afterAll(() => unlisted?.close())

    async function openInside(url: string) {
      const tab = await tabs.context.newPage()
      await addAuthenticator(tab)
      await tab.goto(url)
      const frame = tab.frames()[1]
      if (!frame) throw new TypeError('no frame')
      await frame.waitForFunction(() => window.page !== undefined)
      return { tab, frame }
    }

    test('refuses in a page that does not allow passkeys', async () => {
      const { frame } = await openInside(`${tabs.page.elsewhere}/around`)
      for (const request of [createNew, logIn]) {
        const { code, message } = await authenticate(frame, request)
        expect(code).toBe('PASSKEY_FAILED')
        expect(message).toContain('The site that embeds this page does not allow passkeys here.')
      }
    })

    test('refuses in a page that the project does not list', async () => {
      const { frame } = await openInside(unlisted.url)
      const { code, message } = await authenticate(frame, createNew)
      expect(code).toBe('HTTP_FAILED')
      expect(message).toContain('The passkey was used inside a page of an origin that is not registered.')
      expect(await readStatus(frame)).toBe('DISCONNECTED')
    })

    test('signs up, signs, returns and signs in again in a listed page', async () => {
      const { tab, frame } = await openInside(`${tabs.page.elsewhere}/around?allow`)
      const { user, message } = await authenticate(frame, createNew)
      expect(message).toBe('')
      expect(await sign(frame)).toBe(user?.address)
      await tab.reload()
      const again = tab.frames()[1] ?? frame
      await again.waitForFunction(() => window.page?.signer.status === 'CONNECTED')
      expect(await sign(again)).toBe(user?.address)
      await again.evaluate(() => window.page.signer.disconnect())
      expect((await authenticate(again, logIn)).user?.address).toBe(user?.address)
    })
  })
})

test('accepts the code of a repeated mail before its response arrives, and the older code afterward', async () => {
  const email = newEmail()
  const asking = await open()
  const older = await ask(asking, email)
  const resend = () => void asking.evaluate((start) => window.page.start(start), { email })
  let deliver = () => {}
  const slow = new Promise<void>((resolve) => {
    deliver = resolve
  })
  // The e-mail address is still unverified, so the repeated request is a sign-up, too.
  await asking.route(/\/v1\/(?:auth|signup)$/, async (route) => {
    const response = await route.fetch()
    await slow
    await route.fulfill({ response })
  })
  resend()
  const newer = await readSignInMail(tabs.devnet, email, { skip: 1, linkTo: tabs.page.url })
  const signing = authenticate(asking, { type: 'email', code: newer.code ?? '' })
  // The signer first tries the code against the earlier e-mail, because it has only that e-mail's code id.
  const tried = await asking.waitForResponse((response) => response.url().endsWith('/otp_auth'))
  expect(tried.status()).toBe(400)
  deliver()
  expect((await signing).user?.email).toBe(email)
  await status(asking, 'CONNECTED')
  expect(older.code).not.toBe(newer.code)

  const another = newEmail()
  await asking.evaluate(() => window.page.signer.disconnect())
  const first = await ask(asking, another)
  await ask(asking, another, 1)
  const wrong = await authenticate(asking, { type: 'email', code: '000000000' })
  expect(wrong.message).toContain('4 tries left')
  expect((await authenticate(asking, { type: 'email', code: first.code ?? '' })).user?.email).toBe(another)
  // The unused e-mail created no session.
  const sessions = await asking.evaluate(() => window.page.signer.listSessions())
  expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([true])
})
