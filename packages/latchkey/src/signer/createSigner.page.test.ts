import {
  email,
  mailTabs,
  outcome,
  sessionKey,
  signedOut,
  status,
  statuses,
  stored,
} from '@latchkey/testkit/signer/mailTabs'
import { neutral, vectors } from '@latchkey/testkit/signer/vectors'
import type { Page } from 'playwright-core'
import { recoverMessageAddress, recoverTypedDataAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import type { User } from './types.ts'

const tabs = mailTabs()
const { open, ask, signIn } = tabs

describe('by mail', () => {
  test('default: a sign-up is completed by the link in a second tab, and both tabs connect', async () => {
    const asking = await open()
    await status(asking, 'DISCONNECTED')
    expect(await stored(asking)).toBe(signedOut)
    const link = await ask(asking, 'callback=/home page?x=1')
    const person = tabs.peer.person(email)
    expect(JSON.parse((await stored(asking, `${sessionKey}:temporary`)) ?? '')).toEqual({
      orgId: person?.orgId,
      email,
      endsMs: expect.any(Number),
      isNewUser: true,
    })
    expect(new URL(link).searchParams.get('aa-is-signup')).toBe('true')
    expect(new URL(link).searchParams.get('callback')).toBe('/home page?x=1')

    const opened = await open(`${link}&keep=a%20b#part`)
    await Promise.all([status(opened, 'CONNECTED'), status(asking, 'CONNECTED')])
    expect(await outcome(asking)).toEqual({ user: { ...person, email, userId: expect.any(String) } })
    expect(await statuses(asking)).toEqual([
      'INITIALIZING',
      'DISCONNECTED',
      'AUTHENTICATING',
      'AWAITING_EMAIL_AUTH',
      'AUTHENTICATING',
      'CONNECTED',
    ])
    expect(await statuses(opened)).toEqual(['INITIALIZING', 'AUTHENTICATING', 'CONNECTED'])
    expect(opened.url()).toBe(`${tabs.page.url}/?callback=%2Fhome+page%3Fx%3D1&keep=a%20b#part`)
    expect(await opened.evaluate(() => window.page.signer.link)).toEqual({
      hasBundle: true,
      isSignup: true,
      wasAskedHere: true,
    })
    expect(await asking.evaluate(() => window.page.signer.link)).toBeNull()

    const session = JSON.parse((await stored(opened)) ?? '')
    expect(session).toEqual({
      state: {
        session: {
          type: 'email',
          user: { email, ...person, userId: expect.any(String) },
          bundle: tabs.peer.mails[0]?.bundle,
          expirationDateMs: expect.any(Number),
        },
      },
      version: 0,
    })
    expect(await stored(opened, `${sessionKey}:temporary`)).toBeNull()
    expect(await asking.locator('#alchemy-signer-iframe-container').isHidden()).toBe(true)
    expect(await asking.locator('#alchemy-signer-iframe-container > iframe#turnkey-iframe').count()).toBe(1)
  })

  test('behavior: the requests are those of the documented wire, byte for byte', async () => {
    const asking = await open()
    await asking.evaluate(() => {
      const redirectParams = new URLSearchParams([
        ['aa-is-signup', 'true'],
        ['callback', '/home page?x=1'],
      ])
      window.page.signer
        .authenticate({ type: 'email', email: 'user@example.com', redirectParams })
        .catch(() => undefined)
    })
    await status(asking, 'AWAITING_EMAIL_AUTH')
    const opened = await open(tabs.peer.mails[0]?.link)
    await status(opened, 'CONNECTED')
    await opened.evaluate(() => window.page.signer.signMessage('hello'))
    await opened.evaluate(() => window.page.signer.disconnect())
    await ask(opened)

    const { capturedTraffic } = vectors
    const names = { lookup: 1, signup: 1, whoami: 1, 'sign-payload': 1, auth: 1 }
    const seen = Object.keys(names).map((name) => tabs.peer.requests.find(({ path }) => path === `/signer/v1/${name}`))
    expect(seen.map((request) => neutral(request?.body ?? ''))).toEqual(
      [
        capturedTraffic.lookup,
        // The listed fix: seconds where the captured client sent milliseconds.
        capturedTraffic.signup.replace('"expirationSeconds":900000', '"expirationSeconds":900'),
        capturedTraffic.whoami,
        capturedTraffic.signPayload,
        capturedTraffic.auth.replace('"expirationSeconds":900000', '"expirationSeconds":900'),
      ].map(neutral),
    )
    for (const request of seen) {
      expect(request?.method).toBe('POST')
      // The other listed fix: the headers that name version and signer.
      expect(request?.headers).toMatchObject({
        ...capturedTraffic.headers,
        'alchemy-aa-sdk-version': '3.14.1',
        'alchemy-aa-sdk-signer': 'alchemy-signer',
      })
    }
    await expect
      .poll(() => new Set(tabs.peer.preflights))
      .toEqual(
        new Set([
          'alchemy-aa-sdk-signer,alchemy-aa-sdk-version,authorization,content-type',
          // Signing out asks the key-custody service itself.
          'content-type,x-client-version,x-stamp',
        ]),
      )
  })

  test('behavior: both tabs sign, and their signatures are of the address that signed in', async () => {
    const { asking, opened } = await signIn()
    const address = tabs.peer.person(email)?.address
    const typedData = {
      domain: { name: 'Test', chainId: 1 },
      types: { Note: [{ name: 'text', type: 'string' }] },
      primaryType: 'Note',
      message: { text: 'hello' },
    } as const
    for (const tab of [asking, opened]) {
      const message = await tab.evaluate(() => window.page.signer.signMessage('hello'))
      expect(await recoverMessageAddress({ message: 'hello', signature: message })).toBe(address)
      const typed = await tab.evaluate((data) => window.page.signer.signTypedData(data), typedData)
      expect(await recoverTypedDataAddress({ ...typedData, signature: typed })).toBe(address)
      const both = await tab.evaluate(() => {
        const account = window.page.signer.toViemAccount()
        return Promise.all(['one', 'two', 'three'].map((text) => account.signMessage({ message: text })))
      })
      const signers = ['one', 'two', 'three'].map((text, index) =>
        recoverMessageAddress({ message: text, signature: both[index] ?? '0x' }),
      )
      expect(await Promise.all(signers)).toEqual([address, address, address])
    }
  })

  test('behavior: a reload restores the session without another mail', async () => {
    const { asking } = await signIn()
    await asking.reload()
    await status(asking, 'CONNECTED')
    expect(await statuses(asking)).toEqual(['INITIALIZING', 'CONNECTED'])
    expect(tabs.peer.mails).toHaveLength(1)
    const signature = await asking.evaluate(() => window.page.signer.signMessage('again'))
    expect(await recoverMessageAddress({ message: 'again', signature })).toBe(tabs.peer.person(email)?.address)
  })

  test('behavior: signing out in one tab signs out both, and the page can sign in again', async () => {
    const { asking, opened } = await signIn()
    await opened.evaluate(() => window.page.signer.disconnect())
    await status(asking, 'DISCONNECTED')
    expect(await stored(asking)).toBe(signedOut)
    expect(await opened.locator('iframe').count()).toBe(0)
    for (const tab of [asking, opened]) {
      const code = await tab.evaluate(() =>
        window.page.signer.signMessage('x').catch((error: { code: string }) => error.code),
      )
      expect(code).toBe('SIGNER_NOT_AUTHENTICATED')
    }
    const link = await ask(opened)
    expect(new URL(link).searchParams.has('aa-is-signup')).toBe(false)
    const third = await open(link)
    await Promise.all([third, asking, opened].map((tab) => status(tab, 'CONNECTED')))
    expect(await outcome(opened)).toMatchObject({ user: { email } })
  })

  test('behavior: after signing out the old link opens nothing any more', async () => {
    const { opened, link } = await signIn()
    await opened.evaluate(() => window.page.signer.disconnect())
    const again = await open(link)
    await again.waitForFunction(() => window.page.errors.length > 0)
    expect(await again.evaluate(() => window.page.errors[0]?.code)).toBe('BUNDLE_INJECTION_FAILED')
    await status(again, 'DISCONNECTED')
  })

  test('behavior: the same link again, while the session lives, just signs in', async () => {
    const { link, asking } = await signIn()
    const before = JSON.parse((await stored(asking)) ?? '').state.session.expirationDateMs
    const again = await open(link)
    await status(again, 'CONNECTED')
    expect(await again.evaluate(() => window.page.errors)).toEqual([])
    expect(JSON.parse((await stored(again)) ?? '').state.session.expirationDateMs).toBe(before)
    await status(asking, 'CONNECTED')
  })

  test('behavior: a newer request for the same address takes the older along and keeps its redirect parameters', async () => {
    const asking = await open()
    await asking.evaluate(() => {
      const params = { type: 'email', email: 'User@example.com', redirectParams: new URLSearchParams('a=1') } as const
      Object.assign(window, { first: window.page.signer.authenticate(params) })
    })
    await status(asking, 'AWAITING_EMAIL_AUTH')
    const link = await ask(asking, 'a=1')
    expect(new URL(link).searchParams.get('a')).toBe('1')
    expect(new URL(link).searchParams.get('aa-is-signup')).toBe('true')
    const opened = await open(link)
    await Promise.all([status(opened, 'CONNECTED'), status(asking, 'CONNECTED')])
    expect(await outcome(asking)).toMatchObject({ user: { email } })
    expect(await asking.evaluate(() => (window as unknown as { first: Promise<User> }).first)).toMatchObject({ email })
  })

  test('behavior: a newer request for another address ends the older', async () => {
    const asking = await open()
    await asking.evaluate(() => {
      const first = window.page.signer.authenticate({ type: 'email', email: 'other@example.com' })
      Object.assign(window, { first: first.catch((error: { code: string }) => error.code) })
    })
    await status(asking, 'AWAITING_EMAIL_AUTH')
    await ask(asking)
    expect(await asking.evaluate(() => (window as unknown as { first: Promise<unknown> }).first)).toBe('SUPERSEDED')
  })

  test('behavior: the wait ends when its caller cancels, and when the link can no longer be used', async () => {
    const asking = await open()
    const ended = await asking.evaluate(async (address) => {
      const controller = new AbortController()
      const { signer } = window.page
      const codeOf = (call: Promise<unknown>) => call.catch((error: { code: string }) => error.code)
      const given = codeOf(signer.authenticate({ type: 'email', email: address, signal: controller.signal }))
      await new Promise<void>((resolve) => {
        signer.on('statusChanged', (now) => now === 'AWAITING_EMAIL_AUTH' && resolve())
      })
      controller.abort()
      const after = [await given, signer.status]
      const already = codeOf(signer.authenticate({ type: 'email', email: address, signal: controller.signal }))
      const late = codeOf(signer.authenticate({ type: 'email', email: address, expirationSeconds: 1 }))
      return [...after, await already, await late, signer.status]
    }, email)
    expect(ended).toEqual(['ABORTED', 'DISCONNECTED', 'ABORTED', 'LINK_EXPIRED', 'DISCONNECTED'])
  })

  test('behavior: it reports before the session ends, and when that is', async () => {
    tabs.extra = { expirationTimeMs: 61_000 }
    const { opened } = await signIn()
    const [told, expiresAt] = await opened.evaluate(
      () =>
        new Promise<[number, number | null]>((resolve) => {
          window.page.signer.on('expiring', (at) => resolve([at, window.page.signer.expiresAt]))
        }),
    )
    expect(told).toBe(expiresAt)
    expect(JSON.parse((await stored(opened)) ?? '').state.session.expirationDateMs).toBe(told)
  })

  test('behavior: signing out elsewhere ends the wait for a mail, whose key is removed', async () => {
    const { asking, opened } = await signIn()
    await asking.evaluate((start) => window.page.start(start), { email: 'other@example.com' })
    await status(asking, 'AWAITING_EMAIL_AUTH')
    await opened.evaluate(() => window.page.signer.disconnect())
    expect(await outcome(asking)).toMatchObject({ code: 'ABORTED' })
    await status(asking, 'DISCONNECTED')
  })

  test('error: a stored session that was tampered with is cleared, and the page starts', async () => {
    const { asking } = await signIn()
    for (const text of ['{', '5', '{"state":{"session":{"type":"email"}}}']) {
      await asking.evaluate(([key, value]) => localStorage.setItem(key, value), [sessionKey, text] as const)
      await asking.evaluate((key) => localStorage.setItem(`${key}:temporary`, '[1]'), sessionKey)
      await asking.reload()
      await status(asking, 'DISCONNECTED')
      expect(await stored(asking)).toBe(signedOut)
    }
  })

  test('behavior: a request that is superseded while under way sends no mail any more', async () => {
    const asking = await open()
    let release = () => {}
    tabs.peer.faults.holdLookup = new Promise((resolve) => {
      release = resolve
    })
    await asking.evaluate((start) => window.page.start(start), { email: 'first@example.com' })
    const lookups = () => tabs.peer.requests.filter(({ path }) => path.endsWith('/lookup')).length
    await expect.poll(lookups, { timeout: 60_000 }).toBe(1)
    delete tabs.peer.faults.holdLookup
    await ask(asking)
    release()
    const link = tabs.peer.mails[0]?.link
    await open(link)
    await status(asking, 'CONNECTED')
    expect(tabs.peer.mails.map(({ to }) => to)).toEqual([email])
  })

  test('behavior: every tab tells whether the mail signs a new person up, after a reload and a sign-in, too', async () => {
    const isSignup = (tab: Page) => tab.evaluate(() => window.page.signer.isSignup)
    const asking = await open()
    expect(await isSignup(asking)).toBe(false)
    const link = await ask(asking)
    expect(await isSignup(asking)).toBe(true)
    await asking.reload()
    await status(asking, 'DISCONNECTED')
    expect(await isSignup(asking)).toBe(true)
    const opened = await open(link)
    await Promise.all([status(opened, 'CONNECTED'), status(asking, 'CONNECTED')])
    expect([await isSignup(asking), await isSignup(opened)]).toEqual([true, true])
    await opened.evaluate(() => window.page.signer.disconnect())
    await status(asking, 'DISCONNECTED')
    expect([await isSignup(asking), await isSignup(opened)]).toEqual([false, false])
    await open(await ask(opened))
    await Promise.all([status(opened, 'CONNECTED'), status(asking, 'CONNECTED')])
    expect([await isSignup(asking), await isSignup(opened)]).toEqual([false, false])
  })

  test('behavior: signing in at once after signing out, without waiting, works', async () => {
    const { opened } = await signIn()
    await opened.evaluate(
      (start) => {
        window.page.signer.disconnect()
        window.page.start(start)
      },
      { email },
    )
    await status(opened, 'AWAITING_EMAIL_AUTH')
    await open(tabs.peer.mails.at(-1)?.link)
    await status(opened, 'CONNECTED')
    expect(await outcome(opened)).toMatchObject({ user: { email } })
    expect(await opened.locator('iframe').count()).toBe(1)
    // The frame was given the time to delete its key: the new mail is sealed to another.
    const keys = tabs.peer.requests
      .filter(({ path }) => path.endsWith('/signup') || path.endsWith('/auth'))
      .map(({ body }) => JSON.parse(body).targetPublicKey)
    expect(keys).toHaveLength(2)
    expect(keys[0]).not.toBe(keys[1])
  })

  test('behavior: a session past its expiry ends by itself and is cleared', async () => {
    const link = await ask(await open())
    tabs.extra = { expirationTimeMs: 2_000 }
    const opened = await open(link)
    await opened.waitForFunction(() => window.page.disconnected > 0)
    expect(await statuses(opened)).toEqual(['INITIALIZING', 'AUTHENTICATING', 'CONNECTED', 'DISCONNECTED'])
    expect(await stored(opened)).toBe(signedOut)
  })

  test('behavior: an expired session in storage is cleared when read', async () => {
    const { asking } = await signIn()
    await asking.evaluate((key) => {
      const stored = JSON.parse(localStorage.getItem(key) ?? '')
      stored.state.session.expirationDateMs = Date.now() - 1
      localStorage.setItem(key, JSON.stringify(stored))
    }, sessionKey)
    const requests = tabs.peer.requests.length
    await asking.reload()
    await status(asking, 'DISCONNECTED')
    expect(await stored(asking)).toBe(signedOut)
    expect(tabs.peer.requests).toHaveLength(requests)
  })

  test('behavior: signing out rejects the sign-in that waits', async () => {
    const asking = await open()
    await ask(asking)
    await asking.evaluate(() => window.page.signer.disconnect())
    expect(await outcome(asking)).toMatchObject({ code: 'ABORTED' })
    expect(await stored(asking, `${sessionKey}:temporary`)).toBeNull()
  })
})

test('param: a session kept in the session storage stays in its tab', async () => {
  tabs.extra = { storage: 'sessionStorage' }
  const asking = await open()
  const link = await ask(asking)
  const opened = await open(link)
  await status(opened, 'CONNECTED')
  await opened.reload()
  await status(opened, 'CONNECTED')
  expect(await stored(opened)).toBeNull()
  expect(await asking.evaluate(() => window.page.signer.status)).toBe('AWAITING_EMAIL_AUTH')
})

test('behavior: the state outside the frame holds no key, and destroy removes everything from the page', async () => {
  const { asking } = await signIn()
  const kept = await asking.evaluate(() => JSON.stringify({ ...localStorage }) + document.documentElement.outerHTML)
  expect(kept).not.toContain('test-api-key')
  await asking.evaluate(() => window.page.signer.destroy())
  expect(await asking.locator('iframe').count()).toBe(0)
  expect(await stored(asking)).not.toBe(signedOut)
})
