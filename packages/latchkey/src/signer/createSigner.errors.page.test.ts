import { email, mailTabs, outcome, signedOut, status, stored } from '@latchkey/testkit/signer/mailTabs'
import { sealBundle, strangerPublicKey } from '@latchkey/testkit/signer/sealBundle'
import type { Page } from 'playwright-core'
import { recoverMessageAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { createSigner } from './createSigner.ts'

const tabs = mailTabs()
const { open, ask, signIn } = tabs

/** Errors that the page has received, once there are any. */
async function errors(tab: Page): Promise<{ code: string; message: string }[]> {
  await tab.waitForFunction(() => window.page?.errors.length > 0)
  return tab.evaluate(() => window.page.errors)
}

describe('what is refused', () => {
  test('error: no user is signed in', async () => {
    const tab = await open()
    await status(tab, 'DISCONNECTED')
    const messages = await tab.evaluate(async () => {
      const { signer } = window.page
      const attempts = [signer.getAuthDetails(), signer.getAddress(), signer.signRawMessage(`0x${'00'.repeat(32)}`)]
      return Promise.all(attempts.map((attempt) => attempt.catch((error: Error) => error.message)))
    })
    for (const message of messages) {
      expect(message).toContain('Signer not authenticated. Please authenticate to use this signer')
    }
    expect(tabs.peer.requests).toHaveLength(0)
  })

  test('error: a bundle sealed to another browser, and one that is garbage', async () => {
    const stranger = await sealBundle(strangerPublicKey())
    for (const bundle of [stranger.bundle, 'garbage', '0-_garbage', stranger.bundle.slice(0, -1)]) {
      const tab = await open(`${tabs.page.url}/?bundle=${bundle}&orgId=11111111-2222-4333-8444-555555555555`)
      await status(tab, 'DISCONNECTED')
      const [error] = await errors(tab)
      expect(error?.code).toBe('BUNDLE_INJECTION_FAILED')
      expect(error?.message).toMatch(/^Failed to inject credential bundle/)
      expect(error?.message).not.toContain(bundle)
      expect(tab.url()).toBe(`${tabs.page.url}/`)
      expect(await stored(tab)).toBe(signedOut)
    }
    expect(tabs.peer.requests.filter(({ path }) => path.endsWith('/whoami'))).toHaveLength(0)
  })

  test('error: a bundle without an organization where no mail was asked for', async () => {
    const tab = await open(`${tabs.page.url}/?bundle=abc`)
    await status(tab, 'DISCONNECTED')
    expect((await errors(tab))[0]?.message).toContain('Could not find email auth init session!')
    const called = await tab.evaluate(() =>
      window.page.signer.authenticate({ type: 'email', bundle: 'abc' }).catch((error: { code: string }) => error.code),
    )
    expect(called).toBe('EMAIL_INIT_SESSION_MISSING')
    await status(tab, 'DISCONNECTED')
  })

  test('error: a link in another browser', async () => {
    const asking = await open()
    const link = await ask(asking)
    const other = await tabs.browser.newContext()
    const tab = await other.newPage()
    await tab.goto(link)
    expect((await errors(tab))[0]?.code).toBe('BUNDLE_INJECTION_FAILED')
    await other.close()
    await status(asking, 'AWAITING_EMAIL_AUTH')
  })

  test('error: a bad link does not sign out the user', async () => {
    const { asking } = await signIn()
    const tab = await open(`${tabs.page.url}/?bundle=garbage&orgId=x`)
    await status(tab, 'CONNECTED')
    expect((await errors(tab)).map(({ code }) => code)).toEqual(['BUNDLE_INJECTION_FAILED'])
    const signature = await tab.evaluate(() => window.page.signer.signMessage('still'))
    expect(await recoverMessageAddress({ message: 'still', signature })).toBe(tabs.peer.person(email)?.address)
    await status(asking, 'CONNECTED')
  })

  test('error: a session the service refuses is cleared; one it cannot look at is kept', async () => {
    const { asking } = await signIn()
    tabs.peer.faults.breakWhoami = true
    await asking.reload()
    await status(asking, 'DISCONNECTED')
    expect((await errors(asking))[0]?.code).toBe('HTTP_FAILED')
    expect(await stored(asking)).not.toBe(signedOut)
    delete tabs.peer.faults.breakWhoami
    tabs.peer.expireKeys()
    await asking.reload()
    await status(asking, 'DISCONNECTED')
    expect((await errors(asking))[0]?.message).toContain('expired API key')
    expect(await stored(asking)).toBe(signedOut)
  })

  test('error: mail that cannot be sent can be asked for again', async () => {
    const tab = await open()
    tabs.peer.faults.failMail = true
    await tab.evaluate((start) => window.page.start(start), { email })
    expect(await outcome(tab)).toMatchObject({ code: 'HTTP_FAILED', message: expect.stringContaining('Try again') })
    await status(tab, 'DISCONNECTED')
    tabs.peer.faults.failMail = false
    const link = await ask(tab)
    await open(link)
    await status(tab, 'CONNECTED')
  })

  test('error: a server that is not running is named, with what to do', async () => {
    const { url } = tabs.peer
    await tabs.peer.close()
    const tab = await open()
    await tab.evaluate((start) => window.page.start(start), { email })
    const failure = await outcome(tab)
    expect(failure?.code).toBe('NETWORK_UNREACHABLE')
    expect(failure?.message).toContain(url)
    expect(failure?.message).toContain('npm start')
    tabs.peer = await tabs.startPeer()
  })

  test('error: a page whose origin the frame does not list gets nothing', async () => {
    tabs.listed = 'https://app.example.com'
    const tab = await open()
    await tab.evaluate((start) => window.page.start(start), { email })
    const failure = await outcome(tab)
    expect(failure?.code).toBe('FRAME_FAILED')
    expect(failure?.message).toContain(`${tabs.page.url} is not on this frame's list`)
    expect(tabs.peer.mails).toHaveLength(0)
  })

  test('error: requests that are not complete, and a digest of another length', async () => {
    const { opened } = await signIn()
    const before = tabs.peer.requests.length
    const codes = await opened.evaluate(async () => {
      const { signer } = window.page
      const requests: unknown[] = [
        undefined,
        {},
        { type: 'email' },
        { type: 'email', email: '' },
        { type: 'passkey' },
        { type: 'passkey', createNew: true },
        { type: 'sms', phone: '1' },
      ]
      const calls = requests.map((request) => signer.authenticate(request as { type: 'email'; email: string }))
      const digests = ['0x', `0x${'00'.repeat(31)}`, '00'.repeat(32)].map((hash) => signer.signRawMessage(hash as '0x'))
      const codeOf = (call: Promise<unknown>) => call.catch((error: { code: string }) => error.code)
      return [...new Set(await Promise.all([...calls, ...digests].map(codeOf)))]
    })
    expect(codes).toEqual(['REQUEST_INVALID'])
    expect(tabs.peer.requests).toHaveLength(before)
    await status(opened, 'CONNECTED')
  })

  test('error: no page to run in', () => {
    expect(() => createSigner({ client: { connection: {} } })).toThrow('signer is only available on the client')
  })
})

describe('what the page does to the frame', () => {
  test('behavior: the frame the page removed comes back with its credential, even in the middle of a call', async () => {
    const { opened } = await signIn()
    const address = tabs.peer.person(email)?.address
    for (const way of ['before', 'at once', 'a moment later', 'moved']) {
      const signature = await opened.evaluate(async (when) => {
        const frame = document.getElementById('turnkey-iframe') as HTMLIFrameElement
        if (when === 'before') frame.remove()
        const signing = window.page.signer.signMessage('still')
        if (when === 'a moment later') await new Promise((resolve) => setTimeout(resolve))
        if (when === 'moved') document.body.append(frame)
        else frame.remove()
        return signing
      }, way)
      expect(await recoverMessageAddress({ message: 'still', signature }), way).toBe(address)
      expect(await opened.locator('iframe').count()).toBe(1)
    }
  })

  test('error: a second signer of the page is refused: the first one has the key of the frame, and keeps it', async () => {
    const { opened } = await signIn()
    const outcome = await opened.evaluate(async () => {
      const second = window.page.make({ sessionKey: 'second' }, { iframeContainerId: 'second-holder' })
      const refused = await second.authenticate({ type: 'email', email: 'other@example.com' }).catch(({ code }) => code)
      second.destroy()
      return [refused, await window.page.signer.signMessage('x')]
    })
    expect(outcome[0]).toBe('SIGNER_CONFLICT')
    const signature = outcome[1] as `0x${string}`
    expect(await recoverMessageAddress({ message: 'x', signature })).toBe(tabs.peer.person(email)?.address)
  })
})
