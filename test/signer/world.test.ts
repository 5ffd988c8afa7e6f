import { randomBytes } from 'node:crypto'
import type { World } from 'latchkey-dev'
import { addAuthenticator, readSignInMail, startTestWorld } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { parseTransaction, recoverMessageAddress, recoverTransactionAddress, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AuthParameters } from '../../packages/latchkey/src/signer/types.ts'
import { launchPuppeteer } from '../frames/launchPuppeteer.ts'
import { launchChromium } from './launchChromium.ts'
import { type Listening, listen } from './listen.ts'
import { startPage } from './startPage.ts'

// The signer against the server it is made for: real custody, mail and frames.

let browser: Browser
let page: Listening
let world: World
let context: BrowserContext
const config: { signerApiUrl: string; apiKey: string } = { signerApiUrl: '', apiKey: '' }

beforeAll(async () => {
  ;[browser, page] = await Promise.all([launchChromium(), startPage(() => config)])
  world = await startTestWorld({ example: false, appUrls: [`${page.url}/`] })
  config.signerApiUrl = world.urls.signerApi
  config.apiKey = world.apiKey
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([page?.close(), world?.close()])
})
beforeEach(async () => {
  context = await browser.newContext()
})
afterEach(() => context.close())

const newEmail = () => `ann-${randomBytes(4).toString('hex')}@example.com`
async function open(url = `${page.url}/`, within = context): Promise<Page> {
  const tab = await within.newPage()
  await tab.goto(url)
  await tab.waitForFunction(() => window.page !== undefined)
  return tab
}
const status = (tab: Page, wanted: string) => tab.waitForFunction((name) => window.page.signer.status === name, wanted)
const statusOf = (tab: Page) => tab.evaluate(() => window.page.signer.status)
async function ask(tab: Page, email: string, skip = 0) {
  await tab.evaluate((start) => window.page.start(start), { email })
  await status(tab, 'AWAITING_EMAIL_AUTH')
  return readSignInMail(world, email, { skip, linkTo: page.url })
}
const authenticate = (tab: Page, parameters: AuthParameters) =>
  tab.evaluate(
    (given) =>
      window.page.signer.authenticate(given).then(
        (user) => ({ user, code: undefined, message: '' }),
        ({ code, message }: { code: string; message: string }) => ({ user: undefined, code, message }),
      ),
    parameters,
  )
const sign = async (tab: Page, message = 'hello') =>
  recoverMessageAddress({
    message,
    signature: await tab.evaluate((text) => window.page.signer.signMessage(text), message),
  })
const refusal = (tab: Page, verb: 'signMessage' | 'listSessions' | 'removeAuthenticator', argument = '') =>
  tab.evaluate(
    ([name, given]) =>
      (window.page.signer[name] as (value: string) => Promise<unknown>)(given).then(
        () => ({ code: 'none', message: '' }),
        ({ code, message }: { code: string; message: string }) => ({ code, message }),
      ),
    [verb, argument] as const,
  )
async function signIn(email = newEmail()) {
  const asking = await open()
  const { link } = await ask(asking, email)
  const opened = await open(link)
  await Promise.all([status(asking, 'CONNECTED'), status(opened, 'CONNECTED')])
  return { asking, opened, link, email }
}

describe('by mail', () => {
  test('default: the link signs three tabs in, and signing out in one ends the key for all', async () => {
    const third = await open()
    const { asking, opened, link } = await signIn()
    await status(third, 'CONNECTED')
    const address = await asking.evaluate(() => window.page.signer.getAddress())
    for (const tab of [asking, opened, third]) expect(await sign(tab)).toBe(address)
    const stored = await opened.evaluate(() => JSON.stringify({ ...localStorage }))
    await opened.evaluate(() => window.page.signer.disconnect())
    await Promise.all([status(asking, 'DISCONNECTED'), status(third, 'DISCONNECTED')])
    expect(await asking.evaluate(() => Object.keys(localStorage))).toEqual(['alchemy-signer-session'])

    // Neither the link nor what a thief copied out of the storage opens anything.
    await opened.evaluate((text) => Object.assign(localStorage, JSON.parse(text)), stored)
    await opened.reload()
    await status(opened, 'DISCONNECTED')
    const again = await open(link)
    await again.waitForFunction(() => window.page.errors.length > 0)
    expect(await statusOf(again)).toBe('DISCONNECTED')
  })

  test('behavior: the session key is revoked at custody itself', async () => {
    const { opened } = await signIn()
    // A query is not bound to a moment: what was sent once is as good until its key ends.
    const [sent] = await Promise.all([
      opened.waitForRequest((request) => request.url().includes('/query/get_api_keys')),
      opened.evaluate(() => window.page.signer.listSessions()),
    ])
    const again = () => fetch(sent.url(), { method: 'POST', headers: sent.headers(), body: sent.postData() })
    expect((await again()).status).toBe(200)
    await opened.evaluate(() => window.page.signer.disconnect())
    expect((await again()).status).toBe(401)
  })

  test('behavior: signing out does not wait for a custody service that is silent', async () => {
    const { opened } = await signIn()
    await opened.route('**/public/v1/**', () => undefined)
    const tookMs = await opened.evaluate(async () => {
      const began = performance.now()
      await window.page.signer.disconnect()
      return performance.now() - began
    })
    expect(tookMs).toBeLessThan(10_000)
    expect(await statusOf(opened)).toBe('DISCONNECTED')
    expect(await opened.locator('iframe').count()).toBe(0)
  })

  test('behavior: the code of the mail signs in; a wrong one says how often it may be tried, and the mail still counts', async () => {
    const email = newEmail()
    const asking = await open()
    const { code } = await ask(asking, email)
    expect(await asking.evaluate(() => window.page.signer.acceptsCode)).toBe(true)
    const wrong = code === '000000' ? '000001' : '000000'
    const refused = await authenticate(asking, { type: 'email', code: wrong })
    expect(refused.code).toBe('OTP_INVALID')
    expect(refused.message).toContain('The code is not right. 4 attempts are left.')
    expect(await statusOf(asking)).toBe('AWAITING_EMAIL_AUTH')
    const { user } = await authenticate(asking, { type: 'email', code: `${code?.slice(0, 3)} ${code?.slice(3)}` })
    expect(user?.email).toBe(email)
    // The call that asked for the mail ends with it.
    await asking.waitForFunction(() => window.page.outcome !== undefined)
    expect(await asking.evaluate(() => window.page.outcome?.user?.email)).toBe(email)
    expect(await sign(asking)).toBe(user?.address)
    await asking.reload()
    await status(asking, 'CONNECTED')
    const spent = await authenticate(asking, { type: 'email', code: code ?? '' })
    expect(spent.code).toBe('EMAIL_INIT_SESSION_MISSING')
  })

  test('behavior: a code does not sign in in a browser that did not ask for it', async () => {
    const email = newEmail()
    const asking = await open()
    const { code } = await ask(asking, email)
    const temporary = await asking.evaluate(() => localStorage.getItem('alchemy-signer-session:temporary'))
    const other = await browser.newContext()
    const stranger = await open(undefined, other)
    expect((await authenticate(stranger, { type: 'email', code: code ?? '' })).code).toBe('EMAIL_INIT_SESSION_MISSING')
    // Even one who knows which mail it is.
    await stranger.evaluate((text) => localStorage.setItem('alchemy-signer-session:temporary', text ?? ''), temporary)
    expect((await authenticate(stranger, { type: 'email', code: code ?? '' })).code).toBe('OTP_INVALID')
    expect(await statusOf(stranger)).toBe('DISCONNECTED')
    await other.close()
  })

  test('behavior: a signed transaction, ready to be sent', async () => {
    const { opened } = await signIn()
    const signed = await opened.evaluate(() =>
      window.page.signer.signTransaction({ chainId: 1, type: 'eip1559', to: `0x${'11'.repeat(20)}`, nonce: 3 }),
    )
    expect(parseTransaction(signed as `0x02${string}`)).toMatchObject({ nonce: 3, chainId: 1, type: 'eip1559' })
    const signer = await recoverTransactionAddress({ serializedTransaction: signed as `0x02${string}` })
    expect(signer).toBe(await opened.evaluate(() => window.page.signer.getAddress()))
  })

  test('behavior: a device whose clock is minutes ahead signs by the clock of the service', async () => {
    const { opened } = await signIn()
    await opened.evaluate(() => {
      const now = Date.now
      Date.now = () => now() + 10 * 60_000
    })
    await opened.route('**/sign-payload', async (route) => {
      const response = await route.fetch()
      const headers = { ...response.headers(), 'access-control-expose-headers': 'Date' }
      await route.fulfill({ response, headers })
    })
    const statuses: number[] = []
    opened.on('response', (response) => response.url().endsWith('/sign-payload') && statuses.push(response.status()))
    const address = await opened.evaluate(() => window.page.signer.user?.address)
    expect([await sign(opened), await sign(opened)]).toEqual([address, address])
    // It is told once.
    expect(statuses.filter((answered) => answered === 400)).toHaveLength(1)
  })
})

describe('by passkey', () => {
  const createNew = { type: 'passkey', createNew: true, username: 'ann' } as const
  const logIn = { type: 'passkey', createNew: false } as const

  test('default: two passkeys of two people: each signs in as its own, verified or not', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab)
    const first = await authenticate(tab, createNew)
    const [one] = await device.credentials()
    await tab.evaluate(() => window.page.signer.disconnect())
    await device.clear()
    const second = await authenticate(tab, createNew)
    expect(second.user?.address).not.toBe(first.user?.address)
    await tab.evaluate(() => window.page.signer.disconnect())
    await device.clear()
    if (one) await device.add(one)
    await device.setUserVerified(false)
    const back = await authenticate(tab, logIn)
    // "preferred": an authenticator that has verification and whose check fails does not sign.
    expect([back.user?.address, back.code]).toContain(back.user ? first.user?.address : 'PASSKEY_CANCELLED')
    await device.setUserVerified(true)
    expect((await authenticate(tab, logIn)).user?.address).toBe(first.user?.address)
    expect(await sign(tab)).toBe(first.user?.address)
  })

  test('behavior: an authenticator that cannot verify its owner signs', async () => {
    const tab = await open()
    await addAuthenticator(tab, { hasUserVerification: false })
    const { user, message } = await authenticate(tab, createNew)
    expect(message).toBe('')
    expect(await sign(tab)).toBe(user?.address)
  })

  test('error: nobody signed up with it, and a prompt that is closed', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab)
    await tab.evaluate(() => window.page.passkeys.create({ username: 'stranger' }))
    const nobody = await authenticate(tab, logIn)
    expect([nobody.code, nobody.message.split('\n')[0]]).toEqual(['NO_USER_FOUND', 'No user found'])
    expect(await statusOf(tab)).toBe('DISCONNECTED')
    await device.setPresent(false)
    const given = await tab.evaluate(async () => {
      const abort = new AbortController()
      const call = window.page.signer.authenticate({ type: 'passkey', createNew: false, signal: abort.signal })
      setTimeout(() => abort.abort(), 200)
      return call.catch((error: { code: string }) => error.code)
    })
    expect(given).toBe('ABORTED')
    expect(await statusOf(tab)).toBe('DISCONNECTED')
  })

  test('behavior: passkeys are listed, added and removed, but never the last way in', async () => {
    const tab = await open()
    await addAuthenticator(tab)
    const { user } = await authenticate(tab, createNew)
    const [id] = await tab.evaluate(() => window.page.signer.addPasskey())
    const listed = await tab.evaluate(() => window.page.signer.listAuthenticators())
    expect(listed).toHaveLength(2)
    expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false])
    expect(listed[0]?.credentialId).toBe(user?.credentialId)
    expect(listed[1]).toMatchObject({ id, name: expect.stringMatching(/^passkey-\d{13}$/) })
    await tab.evaluate((given) => window.page.signer.removeAuthenticator(given ?? ''), id)
    expect(await tab.evaluate(() => window.page.signer.listAuthenticators())).toHaveLength(1)
    const { code, message } = await refusal(tab, 'removeAuthenticator', listed[0]?.id)
    expect([code, message]).toEqual(['HTTP_FAILED', expect.stringMatching(/^Turnkey error \d+: /)])
  })

  test('behavior: offered in a form field, and picked there', async () => {
    const tab = await open()
    await addAuthenticator(tab)
    const { user } = await authenticate(tab, createNew)
    await tab.evaluate(() => window.page.signer.disconnect())
    // The virtual authenticator picks at once, where a person would click into the field.
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

  test('behavior: an offer gives way to any other sign-in', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab)
    await device.setPresent(false)
    await tab.evaluate(() => {
      const offered = window.page.signer.authenticate({ type: 'passkey', createNew: false, mediation: 'conditional' })
      Object.assign(window, { offered: offered.catch((error: { code: string }) => error.code) })
    })
    expect(await statusOf(tab)).toBe('DISCONNECTED')
    await ask(tab, newEmail())
    expect(await tab.evaluate(() => (window as unknown as { offered: Promise<string> }).offered)).toBe('SUPERSEDED')
  })

  describe('in a page of another site', () => {
    let around: Listening
    beforeAll(async () => {
      around = await listen((request, response) => {
        const allow = 'allow="publickey-credentials-get *; publickey-credentials-create *"'
        response.writeHead(200, { 'content-type': 'text/html' })
        response.end(`<iframe ${request.url === '/allowed' ? allow : ''} src="${page.url}/"></iframe>`)
      })
    })
    afterAll(() => around?.close())
    async function openInside(path: string) {
      const tab = await context.newPage()
      await addAuthenticator(tab)
      await tab.goto(`${around.url.replace('localhost', '127.0.0.1')}${path}`)
      const frame = tab.frames()[1]
      if (!frame) throw new TypeError('no frame')
      await frame.waitForFunction(() => window.page !== undefined)
      return frame
    }

    test('error: that does not let it use passkeys', async () => {
      const frame = await openInside('/')
      for (const createNew of [true, false]) {
        const refused = await frame.evaluate((isNew) => {
          const request = isNew ? { createNew: true as const, username: 'ann' } : { createNew: false as const }
          return window.page.signer
            .authenticate({ type: 'passkey', ...request })
            .catch(({ code, message }: { code: string; message: string }) => `${code} ${message}`)
        }, createNew)
        expect(refused).toContain('PASSKEY_FAILED The page around this one does not let it use passkeys.')
      }
    })

    test('behavior: that lets it use passkeys', async () => {
      const frame = await openInside('/allowed')
      const found = await frame.evaluate(async () => {
        const made = await window.page.passkeys.create({ username: 'ann' })
        const stamp = await window.page.passkeys.stamp({ body: 'x', credentialId: made.attestation.credentialId })
        return { same: stamp.credentialId === made.attestation.credentialId, client: atob(stamp.clientDataJson) }
      })
      expect(found.same).toBe(true)
      // The service sees that it was asked for inside another site.
      expect(JSON.parse(found.client)).toMatchObject({ crossOrigin: true, origin: page.url })
    })
  })
})

describe('sessions', () => {
  test('behavior: those of other browsers are listed and ended; the own one stays', async () => {
    const email = newEmail()
    const { opened } = await signIn(email)
    const other = await browser.newContext()
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

  test.each(['mail', 'passkey'])(
    'behavior: one of the kind "device", begun by %s, signs by a key of this browser',
    async (by) => {
      const tab = await open(`${page.url}/?device`)
      const device = await addAuthenticator(tab)
      if (by === 'mail') {
        const { code } = await ask(tab, newEmail())
        expect((await authenticate(tab, { type: 'email', code: code ?? '' })).code).toBeUndefined()
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
      expect(requests).toEqual(['/signer/v1/sign-payload'])
      const sessions = await tab.evaluate(() => window.page.signer.listSessions())
      expect(sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1)
      // No script reads its key.
      const kept = await tab.evaluate(async () => {
        const database = await new Promise<IDBDatabase>((resolve) => {
          const opening = indexedDB.open('latchkey')
          opening.onsuccess = () => resolve(opening.result)
        })
        const all = database.transaction('device-keys').objectStore('device-keys').getAll()
        const entries = await new Promise<{ pair: CryptoKeyPair }[]>((resolve) => {
          all.onsuccess = () => resolve(all.result)
        })
        const reading = entries.map(({ pair }) =>
          crypto.subtle.exportKey('jwk', pair.privateKey).catch(() => 'refused'),
        )
        return { count: entries.length, read: await Promise.all(reading) }
      })
      expect(kept).toEqual({ count: 1, read: ['refused'] })
      await tab.evaluate(() => window.page.signer.disconnect())
      expect(await tab.evaluate(() => window.page.signer.status)).toBe('DISCONNECTED')
    },
  )
})

describe('import', () => {
  const phrase = 'test test test test test test test test test test test junk'
  const account = mnemonicToAccount(phrase)
  const privateKey = toHex(account.getHdKey().privateKey ?? new Uint8Array())

  test.each([
    ['phrase', phrase],
    ['key', privateKey],
  ] as const)(
    'default: a secret of the person, a %s, is typed into the frame, and the page never sees it',
    async (secret, text) => {
      const { opened } = await signIn()
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
      // Nothing was typed yet; that can be made good.
      expect(await submit()).toEqual({ addresses: ['FRAME_FAILED'] })
      const frame = opened.frameLocator('#import-here > iframe#turnkey-import-iframe')
      await frame.locator('textarea, input').first().fill(text)
      expect(await submit()).toEqual({ addresses: [account.address] })
      expect(await opened.locator('#import-here iframe').count()).toBe(0)
    },
  )

  test('error: nobody is signed in, and a page without the container', async () => {
    const tab = await open()
    const code = () =>
      tab.evaluate(() =>
        window.page.signer
          .importWallet({ iframeContainerId: 'nowhere' })
          .then(() => 'none')
          .catch((error: { code: string }) => error.code),
      )
    expect(await code()).toBe('SIGNER_NOT_AUTHENTICATED')
    await addAuthenticator(tab)
    await authenticate(tab, { type: 'passkey', createNew: true, username: 'ann' })
    expect(await code()).toBe('FRAME_FAILED')
  })
})

describe('in Firefox', () => {
  let firefox: Awaited<ReturnType<typeof launchPuppeteer>>
  beforeAll(async () => {
    firefox = await launchPuppeteer('firefox')
  })
  afterAll(() => firefox?.close())

  test.each(['', '?device'])('behavior: a mail signs two tabs in and out %s', async (kind) => {
    const profile = await firefox.createBrowserContext()
    const openTab = async (url: string) => {
      const tab = await profile.newPage()
      await tab.goto(url)
      await tab.waitForFunction(() => window.page !== undefined)
      return tab
    }
    const email = newEmail()
    const asking = await openTab(`${page.url}/${kind}`)
    await asking.evaluate((address) => window.page.start({ email: address }), email)
    await asking.waitForFunction(() => window.page.signer.status === 'AWAITING_EMAIL_AUTH')
    const { link } = await readSignInMail(world, email, { linkTo: page.url })
    const opened = await openTab(kind ? `${link}&device` : link)
    for (const tab of [asking, opened]) await tab.waitForFunction(() => window.page.signer.status === 'CONNECTED')
    const address = await opened.evaluate(() => window.page.signer.getAddress())
    for (const tab of [asking, opened]) {
      const signature = await tab.evaluate(() => window.page.signer.signMessage('hello'))
      expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(address)
    }
    await opened.goto(page.url)
    await opened.waitForFunction(() => window.page?.signer.status === 'CONNECTED')
    await opened.evaluate(() => window.page.signer.disconnect())
    await asking.waitForFunction(() => window.page.signer.status === 'DISCONNECTED')
    await profile.close()
  })

  test('error: the mail link in another profile, and a page without passkeys', async () => {
    const email = newEmail()
    const asking = await firefox.newPage()
    await asking.goto(page.url)
    await asking.waitForFunction(() => window.page !== undefined)
    await asking.evaluate((address) => window.page.start({ email: address }), email)
    const { link } = await readSignInMail(world, email, { linkTo: page.url })
    const stranger = await firefox.createBrowserContext()
    const tab = await stranger.newPage()
    await tab.goto(link)
    await tab.waitForFunction(() => window.page?.errors.length > 0)
    expect(await tab.evaluate(() => window.page.errors[0]?.code)).toBe('BUNDLE_INJECTION_FAILED')
    const code = await tab.evaluate(() => {
      Reflect.deleteProperty(window, 'PublicKeyCredential')
      const call = window.page.signer.authenticate({ type: 'passkey', createNew: false })
      return call.catch((error: { code: string }) => error.code)
    })
    expect(code).toBe('PASSKEY_UNSUPPORTED')
    await stranger.close()
  })
})
