import { randomUUID } from 'node:crypto'
import {
  authenticate,
  devnetTabs,
  newEmail,
  readStatus,
  refusal,
  sign,
  status,
  type Tab,
} from '@latchkey/testkit/signer/devnetTabs'
import { documented, neutral, vectors } from '@latchkey/testkit/signer/vectors'
import { addAuthenticator } from 'latchkey-dev/testing'
import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { pressSeen } from '../../../dev/src/testing/pressSeen.ts'
import { verifyAccessToken } from '../core/server/verifyAccessToken.ts'
import { verifyWhoami } from '../core/server/verifyWhoami.ts'

// Runs with the devnet's custody, e-mail and frames. The signer machine tests cover transitions, and
// createSigner.network.service.test.ts covers broken services.

const tabs = devnetTabs()
const { open, ask, signIn } = tabs

const sessionKey = 'alchemy-signer-session'
const stored = (tab: Tab, key = sessionKey) => tab.evaluate((name) => localStorage.getItem(name), key)
const sent = (name: string) => tabs.requests.filter(({ path }) => path.endsWith(`/${name}`))

test('connects every tab by a link, and signs all of them out at once', async () => {
  const email = newEmail()
  const [third, asking] = [await open(), await open()]
  const { link } = await ask(asking, email, 0, 'callback=/home page?x=1')
  expect(JSON.parse((await stored(asking, `${sessionKey}:temporary`)) ?? '')).toEqual({
    orgId: expect.any(String),
    otpId: expect.any(String),
    email,
    otpLength: 9,
    endsMs: expect.any(Number),
    isNewUser: true,
  })
  const opened = await open(`${link}&keep=a%20b#part`)
  await Promise.all([asking, opened, third].map((tab) => status(tab, 'CONNECTED')))
  const signedIn = ['AWAITING_EMAIL_AUTH', 'AUTHENTICATING', 'CONNECTED']
  expect(await asking.evaluate(() => window.page.statuses)).toEqual([
    'INITIALIZING',
    'DISCONNECTED',
    'AUTHENTICATING',
    ...signedIn,
  ])
  expect(await opened.evaluate(() => window.page.statuses)).toEqual(['INITIALIZING', 'AUTHENTICATING', 'CONNECTED'])
  expect(opened.url()).toBe(`${tabs.page.url}/?callback=%2Fhome+page%3Fx%3D1&keep=a%20b#part`)
  expect(await opened.evaluate(() => window.page.signer.link)).toEqual({
    hasBundle: true,
    isSignup: true,
    wasAskedHere: true,
  })
  const { user } = (await asking.evaluate(() => window.page.outcome)) ?? {}
  expect(user?.email).toBe(email)
  expect(JSON.parse((await stored(opened)) ?? '').state.session).toEqual({
    type: 'email',
    user,
    bundle: new URL(link).searchParams.get('bundle'),
    expirationDateMs: expect.any(Number),
  })
  expect(await asking.locator('#alchemy-signer-iframe-container').isHidden()).toBe(true)
  expect(await asking.locator('#alchemy-signer-iframe-container > iframe#turnkey-iframe').count()).toBe(1)
  const kept = await asking.evaluate(() => JSON.stringify({ ...localStorage }) + document.body.innerHTML)
  expect(kept).not.toContain(tabs.devnet.apiKey)
  for (const tab of [asking, opened, third]) expect(await sign(tab)).toBe(user?.address)

  // A replayed query is valid until its key is revoked.
  const [query] = await Promise.all([
    opened.waitForRequest((request) => request.url().includes('/query/get_api_keys')),
    opened.evaluate(() => window.page.signer.listSessions()),
  ])
  const repeat = () => fetch(query.url(), { method: 'POST', headers: query.headers(), body: query.postData() })
  expect((await repeat()).status).toBe(200)
  const copied = await opened.evaluate(() => JSON.stringify({ ...localStorage }))
  await opened.evaluate(() => window.page.signer.disconnect())
  expect((await repeat()).status).toBe(401)
  await Promise.all([asking, third].map((tab) => status(tab, 'DISCONNECTED')))
  expect(await asking.evaluate(() => Object.keys(localStorage))).toEqual([sessionKey])
  expect(await opened.locator('iframe').count()).toBe(0)

  // Neither the link nor a copy of the storage restores a revoked session.
  await opened.evaluate((text) => Object.assign(localStorage, JSON.parse(text)), copied)
  await opened.reload()
  await status(opened, 'DISCONNECTED')
  const again = await open(link)
  await again.waitForFunction(() => window.page.errors.length > 0)
  expect(await readStatus(again)).toBe('DISCONNECTED')
})

test('sends the documented requests byte for byte', async () => {
  const email = newEmail()
  const asking = await open()
  const { link } = await ask(asking, email, 0, 'callback=/home page?x=1')
  const opened = await open(link)
  await status(opened, 'CONNECTED')
  await opened.evaluate(() => window.page.signer.signMessage('hello'))
  await opened.evaluate(() => window.page.signer.disconnect())
  await ask(opened, email, 1)
  const { capturedTraffic } = vectors
  const requests = ['lookup', 'signup', 'whoami', 'sign-payload', 'auth'].map((name) => sent(name)[0])
  expect(
    requests.map((request) => neutral(documented(request?.body ?? '')).replace(email, 'user@example.com')),
  ).toEqual(
    [
      capturedTraffic.lookup,
      // The captured client sent milliseconds in a field that is defined in seconds.
      capturedTraffic.signup.replace('"expirationSeconds":900000', '"expirationSeconds":900'),
      capturedTraffic.whoami,
      capturedTraffic.signPayload,
      capturedTraffic.auth.replace('"expirationSeconds":900000', '"expirationSeconds":900'),
    ].map(neutral),
  )
  for (const request of requests) {
    expect(request?.method).toBe('POST')
    expect(request?.headers).toMatchObject({
      ...capturedTraffic.headers,
      authorization: `Bearer ${tabs.devnet.apiKey}`,
      'alchemy-aa-sdk-version': '3.14.1',
      'alchemy-aa-sdk-signer': 'alchemy-signer',
    })
  }
})

test('keeps the session when a link is opened again or is invalid', async () => {
  const { link, asking } = await signIn()
  const before = await stored(asking)
  const again = await open(link)
  await status(again, 'CONNECTED')
  expect(await again.evaluate(() => window.page.errors)).toEqual([])
  const bad = await open(`${tabs.page.url}/?bundle=garbage&orgId=x`)
  await bad.waitForFunction(() => window.page.errors.length > 0)
  await status(bad, 'CONNECTED')
  const [error] = await bad.evaluate(() => window.page.errors)
  expect([error?.code, error?.message]).toEqual([
    'BUNDLE_INJECTION_FAILED',
    expect.stringMatching(/^Failed to inject credential bundle/),
  ])
  expect(bad.url()).toBe(`${tabs.page.url}/`)
  expect(await sign(bad)).toBe(await asking.evaluate(() => window.page.signer.user?.address))
  expect(await stored(asking)).toBe(before)
})

test('uses a new key when signing in right after signing out', async () => {
  const { opened, email } = await signIn()
  await opened.evaluate((address) => {
    window.page.signer.disconnect()
    window.page.start({ email: address })
  }, email)
  await status(opened, 'AWAITING_EMAIL_AUTH')
  const keys = ['signup', 'auth'].map((name) => JSON.parse(sent(name)[0]?.body ?? '{}').targetPublicKey)
  expect(keys).toEqual([expect.stringMatching(/^04/), expect.stringMatching(/^04/)])
  expect(keys[0]).not.toBe(keys[1])
  expect(await opened.locator('iframe').count()).toBe(1)
})

test('signs in a tab that is reloaded before the first whoami is answered', async () => {
  const asking = await open()
  const email = newEmail()
  const { link } = await ask(asking, email)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let held = 0
  await tabs.context.route('**/signer/v1/whoami', async (route) => {
    if (held++ === 0) await released
    await route.continue().catch(() => undefined)
  })
  const tab = await tabs.context.newPage()
  await tab.goto(link)
  await expect.poll(() => held).toBe(1)
  await tab.reload()
  release()
  await Promise.all([status(tab, 'CONNECTED'), status(asking, 'CONNECTED')])
  expect(await tab.evaluate(() => window.page.signer.user?.email)).toBe(email)
  await tab.reload()
  await status(tab, 'CONNECTED')
  expect(await tab.evaluate(() => [window.page.signer.link, sessionStorage.getItem('latchkey:link')])).toEqual([
    null,
    null,
  ])
})

test('signs in by the same link when a reload finds the service again', async () => {
  const { link } = await ask(await open(), newEmail())
  await tabs.context.route('**/signer/v1/whoami', (route) => route.abort(), { times: 1 })
  const tab = await tabs.context.newPage()
  await tab.goto(link)
  await tab.waitForFunction(() => window.page?.errors.length > 0)
  await tab.reload()
  await status(tab, 'CONNECTED')
})

test('keeps a session of the session storage in its tab', async () => {
  Object.assign(tabs.page.config, { storage: 'sessionStorage' })
  try {
    const asking = await open()
    const opened = await open((await ask(asking, newEmail())).link)
    await status(opened, 'CONNECTED')
    await opened.reload()
    await status(opened, 'CONNECTED')
    expect(await stored(opened)).toBeNull()
    expect(await readStatus(asking)).toBe('AWAITING_EMAIL_AUTH')
  } finally {
    Reflect.deleteProperty(tabs.page.config, 'storage')
  }
})

test('uses the clock of the service on a device with a wrong clock', async () => {
  const { opened } = await signIn()
  const address = await opened.evaluate(() => window.page.signer.user?.address)
  const statuses: number[] = []
  opened.on('response', (response) => response.url().endsWith('/sign-payload') && statuses.push(response.status()))
  const wrongBy = (minutes: number) =>
    opened.evaluate((by) => {
      Date.now = () => Math.round(performance.timeOrigin + performance.now()) + by * 60_000
    }, minutes)
  for (const minutes of [10, -120]) {
    await wrongBy(minutes)
    expect([await sign(opened), await sign(opened)]).toEqual([address, address])
  }
  // After the first refusal, the signer corrects its clock.
  await expect.poll(() => statuses).toEqual([400, 200, 200, 400, 200, 200])
  // Custody calls use the same clock.
  await wrongBy(10)
  const { message } = await refusal(opened, 'removeAuthenticator', randomUUID())
  expect(message).toMatch(/^Turnkey error \d+: /)
  expect(message).not.toContain('timestampMs')
  await wrongBy(0)
  expect(await sign(opened)).toBe(address)
})

describe('sessions', () => {
  test('lists and ends the sessions of other browsers, and keeps its own', async () => {
    const email = newEmail()
    const { opened } = await signIn(email)
    const other = await tabs.browser.newContext()
    const elsewhere = await open(undefined, other)
    const { link } = await ask(elsewhere, email, 1)
    await elsewhere.goto(link)
    await status(elsewhere, 'CONNECTED')
    const listed = await opened.evaluate(() => window.page.signer.listSessions())
    expect(listed.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true])
    expect(listed.every(({ expiresAtMs }) => Number(expiresAtMs) > Date.now())).toBe(true)
    const ended = await opened.evaluate(() => window.page.signer.revokeSessions())
    expect(ended).toEqual(listed.filter(({ isCurrent }) => !isCurrent).map(({ id }) => id))
    expect((await refusal(elsewhere, 'signMessage', 'x')).code).not.toBe('none')
    expect(await sign(opened)).toBe(await opened.evaluate(() => window.page.signer.user?.address))
    await other.close()
  })

  test.each(['mail', 'passkey'])('signs with a key of this browser in a "device" session started by %s', async (by) => {
    const tab = await open(`${tabs.page.url}/?device`)
    const device = await addAuthenticator(tab)
    if (by === 'mail') {
      const email = newEmail()
      const { code } = await ask(tab, email)
      const signedIn = authenticate(tab, { type: 'email', code: code ?? '' })
      await tabs.confirm(email)
      expect((await signedIn).code).toBeUndefined()
    } else {
      const { code } = await authenticate(tab, { type: 'passkey', createNew: true, username: 'ann' })
      expect(code).toBeUndefined()
    }
    const address = await tab.evaluate(() => window.page.signer.getAddress())
    await device.clear()
    await tab.reload()
    await status(tab, 'CONNECTED')
    expect(await tab.locator('iframe').count()).toBe(0)
    const requests: string[] = []
    tab.on('request', (request) => request.method() === 'POST' && requests.push(new URL(request.url()).pathname))
    expect(await sign(tab)).toBe(address)
    await expect.poll(() => requests).toEqual(['/signer/v1/sign-payload'])
    const sessions = await tab.evaluate(() => window.page.signer.listSessions())
    expect(sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1)
    await tab.evaluate(() => window.page.signer.disconnect())
    expect(await tab.evaluate(() => window.page.signer.status)).toBe('DISCONNECTED')
  })
})

describe('import', () => {
  const phrase = 'test test test test test test test test test test test junk'
  const account = mnemonicToAccount(phrase)
  const privateKey = toHex(account.getHdKey().privateKey ?? new Uint8Array())

  test.each([
    ['phrase', phrase],
    ['key', privateKey],
  ] as const)('imports a %s that is entered on the page of the email', async (secret, text) => {
    const { opened, email } = await signIn()
    const imported = opened.evaluate(async (kind) => {
      const started = await window.page.signer.importWallet({ iframeContainerId: 'nowhere', secret: kind })
      return started.submit()
    }, secret)
    await tabs.enterImport(email, text)
    expect(await imported).toEqual({ addresses: [account.address] })
  })

  test('ends the wait for the page of the email', async () => {
    const { opened } = await signIn()
    const code = await opened.evaluate(async () => {
      const started = await window.page.signer.importWallet({ iframeContainerId: 'nowhere' })
      const submitted = started.submit().catch((error: { code: string }) => error.code)
      started.close()
      return submitted
    })
    expect(code).toBe('ABORTED')
  })

  test.each([
    ['phrase', phrase],
    ['key', privateKey],
  ] as const)('imports a %s that is typed into the frame and never reaches the page', async (secret, text) => {
    // Users without an address have no email on whose page they could enter it.
    const opened = await open()
    await addAuthenticator(opened)
    expect((await authenticate(opened, { type: 'passkey', createNew: true, username: 'ann' })).code).toBeUndefined()
    await opened.evaluate(async (kind) => {
      const container = document.createElement('div')
      container.id = 'import-here'
      document.body.append(container)
      const started = await window.page.signer.importWallet({ iframeContainerId: 'import-here', secret: kind })
      Object.assign(window, { started })
    }, secret)
    const submit = () =>
      opened.evaluate(() =>
        (window as unknown as { started: { submit(): Promise<{ addresses: string[] }> } }).started
          .submit()
          .catch(({ code }: { code: string }) => ({ addresses: [code] })),
      )
    // After invalid input, the user can enter another secret.
    expect(await submit()).toEqual({ addresses: ['FRAME_FAILED'] })
    const frame = opened.frameLocator('#import-here > iframe#turnkey-import-iframe')
    await frame.locator('textarea, input').first().fill(text)
    // After declining, the user can submit again.
    const declined = submit()
    await pressSeen(frame.getByRole('button', { name: 'Not now' }))
    expect(await declined).toEqual({ addresses: ['FRAME_DECLINED'] })
    await frame.locator('textarea, input').first().fill(text)
    const submitted = submit()
    await pressSeen(frame.getByRole('button', { name: 'Import' }))
    expect(await submitted).toEqual({ addresses: [account.address] })
    expect(await opened.locator('#import-here iframe').count()).toBe(0)
  })
})

test('proves the user’s identity to the app’s server by cached tokens and by stamped requests', async () => {
  const { opened, email } = await signIn()
  const read = () => opened.evaluate(() => window.page.signer.getAccessToken())
  const token = await read()
  expect(await read()).toBe(token)
  expect(sent('access-token')).toHaveLength(1)
  const { urls, apiKey } = tabs.devnet
  const claims = await verifyAccessToken({ token, projectId: 'dev', signerApiUrl: urls.signerApi })
  const user = await opened.evaluate(() => window.page.signer.user)
  expect(claims).toMatchObject({ email, address: user?.address, sub: `${user?.orgId}/${user?.userId}` })
  expect(await opened.evaluate(() => JSON.stringify({ ...localStorage }) + document.body.innerHTML)).not.toContain(
    token,
  )

  const stampedRequest = await opened.evaluate(() => window.page.signer.stampWhoami())
  const verify = () => verifyWhoami({ stampedRequest, apiKey, signerApiUrl: urls.signerApi })
  expect(await verify()).toMatchObject({ userId: user?.userId, email })
  await opened.evaluate(() => window.page.signer.disconnect())
  await expect(verify()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(await refusal(opened, 'getAccessToken', {})).toMatchObject({ code: 'SIGNER_NOT_AUTHENTICATED' })
})
