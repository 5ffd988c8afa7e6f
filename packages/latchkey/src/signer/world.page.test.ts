import { randomUUID } from 'node:crypto'
import { launchPuppeteer } from '@latchkey/testkit/frames/launchPuppeteer'
import {
  authenticate,
  newEmail,
  readStatus,
  refusal,
  sign,
  status,
  worldTabs,
} from '@latchkey/testkit/signer/worldTabs'
import { addAuthenticator, readSignInMail } from 'latchkey-dev/testing'
import { parseTransaction, recoverMessageAddress, recoverTransactionAddress, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pressSeen } from '../../../dev/src/testing/pressSeen.ts'

const tabs = worldTabs()
const { open, ask, signIn } = tabs

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
    expect(await readStatus(again)).toBe('DISCONNECTED')
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
    // Less than any request of its own may take.
    expect(tookMs).toBeLessThan(30_000)
    expect(await readStatus(opened)).toBe('DISCONNECTED')
    expect(await opened.locator('iframe').count()).toBe(0)
  })

  test('behavior: the code of the mail signs in; a wrong one says how often it may be tried, and the mail still counts', async () => {
    const email = newEmail()
    const asking = await open()
    const { code } = await ask(asking, email)
    const told = () => asking.evaluate(() => [window.page.signer.acceptsCode, window.page.signer.isSignup])
    expect(await told()).toEqual([true, true])
    const wrong = code === '000000' ? '000001' : '000000'
    const refused = await authenticate(asking, { type: 'email', code: wrong })
    expect(refused.code).toBe('OTP_INVALID')
    expect(refused.message).toContain('The code is not right. 4 attempts are left.')
    expect(await readStatus(asking)).toBe('AWAITING_EMAIL_AUTH')
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

  test('behavior: a code does not sign in in a browser that did not request it', async () => {
    const email = newEmail()
    const asking = await open()
    const { code } = await ask(asking, email)
    const temporary = await asking.evaluate(() => localStorage.getItem('alchemy-signer-session:temporary'))
    const other = await tabs.browser.newContext()
    const stranger = await open(undefined, other)
    expect((await authenticate(stranger, { type: 'email', code: code ?? '' })).code).toBe('EMAIL_INIT_SESSION_MISSING')
    // Even one who knows which mail it is.
    await stranger.evaluate((text) => localStorage.setItem('alchemy-signer-session:temporary', text ?? ''), temporary)
    expect((await authenticate(stranger, { type: 'email', code: code ?? '' })).code).toBe('OTP_EXPIRED')
    expect(await readStatus(stranger)).toBe('DISCONNECTED')
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

  test('behavior: a device whose clock is minutes ahead or hours behind signs by the clock of the service', async () => {
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
    // It hears of each once.
    await expect.poll(() => statuses).toEqual([400, 200, 200, 400, 200, 200])
    // Custody's own calls go by the same clock, and it may be set right again.
    await wrongBy(10)
    const { message } = await refusal(opened, 'removeAuthenticator', randomUUID())
    expect(message).toMatch(/^Turnkey error \d+: /)
    expect(message).not.toContain('timestampMs')
    await wrongBy(0)
    expect(await sign(opened)).toBe(address)
  })
})

describe('sessions', () => {
  test('error: one older than five minutes changes no credential and shows no secret until its user signs in again', async () => {
    const { opened, asking, email } = await signIn()
    const device = await addAuthenticator(opened)
    await opened.evaluate(() => document.body.append(Object.assign(document.createElement('div'), { id: 'here' })))
    const where = { iframeContainerId: 'here' }
    const [id] = await opened.evaluate(() => window.page.signer.addPasskey())
    expect((await refusal(opened, 'addPasskey', undefined)).code).toBe('PASSKEY_EXISTS')
    const other = await addAuthenticator(opened, { transport: 'usb' })
    tabs.advance(5 * 60_000)
    for (const [verb, argument] of [
      ['addPasskey', undefined],
      ['removeAuthenticator', id],
      ['exportWallet', where],
    ] as const) {
      const { name, code, message } = await refusal(opened, verb, argument)
      expect([verb, name, code]).toEqual([verb, 'CustodyError', 'REQUEST_NOT_AUTHORIZED'])
      expect(message).toMatch(
        /^Turnkey error 7: Sign in again to do this: use a passkey that verifies you, or a session/,
      )
    }
    expect(await opened.locator('#here iframe').count()).toBe(0)
    // The passkey that was made and then refused is not offered to the person later.
    await expect.poll(async () => [...(await device.credentials()), ...(await other.credentials())].length).toBe(1)
    // All else goes on as before.
    expect(await sign(opened)).toBe(await opened.evaluate(() => window.page.signer.user?.address))

    const { code } = await ask(asking, email, 1)
    expect((await authenticate(asking, { type: 'email', code: code ?? '' })).user?.email).toBe(email)
    await opened.waitForFunction(() => window.page.connected.length > 1 || window.page.statuses.length > 3)
    await status(opened, 'CONNECTED')
    const removed = opened.evaluate((given) => window.page.signer.removeAuthenticator(given ?? ''), id)
    expect(await tabs.confirm(email)).toBe('Remove a passkey or key?')
    await removed
    const added = opened.evaluate(() => window.page.signer.addPasskey())
    expect(await tabs.confirm(email, 1)).toBe('Add a passkey?')
    expect(await added).toHaveLength(1)
    const shown = opened.evaluate((given) => window.page.signer.exportWallet(given), where)
    expect(await tabs.confirm(email, 2)).toBe('Show the seed phrase of a wallet?')
    expect(await shown).toBe(true)
  })

  test('behavior: those of other browsers are listed and ended; the own one stays', async () => {
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

  test('error: one of the kind "device" whose key was revoked elsewhere signs nothing more, and a new sign-in does', async () => {
    const email = newEmail()
    const tab = await open(`${tabs.page.url}/?device`)
    const byCode = async (skip: number, confirmed: number) => {
      const { code } = await ask(tab, email, skip)
      const signedIn = authenticate(tab, { type: 'email', code: code ?? '' })
      expect(await tabs.confirm(email, confirmed)).toBe('Start a session with another key?')
      return signedIn
    }
    const { user } = await byCode(0, 0)
    const other = await tabs.browser.newContext()
    const elsewhere = await open(undefined, other)
    const { link } = await ask(elsewhere, email, 1)
    await elsewhere.goto(link)
    await status(elsewhere, 'CONNECTED')
    await elsewhere.evaluate(() => window.page.signer.revokeSessions())
    await other.close()
    const { code, message } = await refusal(tab, 'signMessage', 'x')
    expect([code, message]).toEqual(['HTTP_FAILED', expect.stringContaining('was revoked. Sign in again.')])
    await tab.evaluate(() => window.page.signer.disconnect())
    expect((await byCode(2, 1)).user?.address).toBe(user?.address)
    expect(await sign(tab)).toBe(user?.address)
  })

  test.each(['mail', 'passkey'])(
    'behavior: one of the kind "device", begun by %s, signs by a key of this browser',
    async (by) => {
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
      // What the person declines there can be typed again, too.
      const declined = submit()
      await pressSeen(frame.getByRole('button', { name: 'Not now' }))
      expect(await declined).toEqual({ addresses: ['FRAME_DECLINED'] })
      await frame.locator('textarea, input').first().fill(text)
      const submitted = submit()
      await pressSeen(frame.getByRole('button', { name: 'Import' }))
      expect(await submitted).toEqual({ addresses: [account.address] })
      expect(await opened.locator('#import-here iframe').count()).toBe(0)
    },
  )

  test('error: no user is signed in, and a page without the container', async () => {
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
    const asking = await openTab(`${tabs.page.url}/${kind}`)
    await asking.evaluate((address) => window.page.start({ email: address }), email)
    await asking.waitForFunction(() => window.page.signer.status === 'AWAITING_EMAIL_AUTH')
    const { link } = await readSignInMail(tabs.world, email, { linkTo: tabs.page.url })
    const opened = await openTab(kind ? `${link}&device` : link)
    if (kind) await tabs.confirm(email)
    for (const tab of [asking, opened]) await tab.waitForFunction(() => window.page.signer.status === 'CONNECTED')
    const address = await opened.evaluate(() => window.page.signer.getAddress())
    for (const tab of [asking, opened]) {
      const signature = await tab.evaluate(() => window.page.signer.signMessage('hello'))
      expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(address)
    }
    await opened.goto(tabs.page.url)
    await opened.waitForFunction(() => window.page?.signer.status === 'CONNECTED')
    await opened.evaluate(() => window.page.signer.disconnect())
    await asking.waitForFunction(() => window.page.signer.status === 'DISCONNECTED')
    await profile.close()
  })

  test('error: the mail link in another profile, and a page without passkeys', async () => {
    const email = newEmail()
    const asking = await firefox.newPage()
    await asking.goto(tabs.page.url)
    await asking.waitForFunction(() => window.page !== undefined)
    await asking.evaluate((address) => window.page.start({ email: address }), email)
    const { link } = await readSignInMail(tabs.world, email, { linkTo: tabs.page.url })
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
