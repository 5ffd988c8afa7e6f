import {
  embed,
  type Message,
  openInParent,
  post,
  received,
  reusePages,
  send,
  startParent,
} from '@latchkey/testkit/signer/frameHarness'
import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { sealBundle } from '@latchkey/testkit/signer/sealBundle'
import { startFrame } from '@latchkey/testkit/signer/startFrame'
import { verifyStamp } from '@latchkey/testkit/signer/verifyStamp'
import { test } from '@latchkey/testkit/worker'
import type { BrowserContext, Frame, Page } from 'playwright-core'
import { afterAll, afterEach, describe, expect } from 'vitest'

let parent: Listening
let foreign: Listening
/** Page of an origin that may not embed the frame. */
let frame: Listening
let strict: Listening
let context: BrowserContext

test.beforeAll(async ({ browser }) => {
  context = await browser.newContext()
  parent = await startParent()
  foreign = await startParent()
  frame = await startFrame(
    () => `https://other.example.com ${parent.url}`,
    () => `${parent.url} ${foreign.url}`,
  )
  strict = await startFrame(() => parent.url)
})
afterAll(async () => {
  await context?.close()
  await Promise.all([parent, foreign, frame, strict].map((server) => server?.close()))
})
afterEach(() => reusePages(context, frame.url, strict.url))

const open = ({ channel, at = parent.url }: { channel: boolean; at?: string }) =>
  openInParent(context, { url: frame.url, parent: at, channel })
const publicKey = (message: Message | undefined) => {
  expect(message?.type).toBe('PUBLIC_KEY_READY')
  expect(message?.value).toMatch(/^04[0-9a-f]{128}$/)
  return String(message?.value)
}

describe('over a channel', () => {
  test('replies to each message once, in order, with its requestId', async () => {
    const page = await open({ channel: true })
    const key = publicKey((await received(page, 'port', 1))[0])
    const { bundle, publicKey: credential } = await sealBundle(key)
    await send(page, [
      { type: 'STAMP_REQUEST', value: 'too early', requestId: '1' },
      { type: 'INJECT_CREDENTIAL_BUNDLE', value: bundle, requestId: '2' },
      { type: 'STAMP_REQUEST', value: '{"a":1}', requestId: '3' },
      { type: 'STAMP_REQUEST', value: '{"a":2}', requestId: '4' },
      { type: 'GET_EMBEDDED_PUBLIC_KEY', requestId: '5' },
      { type: 'INIT_EMBEDDED_KEY', requestId: '6' },
    ])
    const [, early, injected, first, second, got, kept, ...rest] = await received(page, 'port', 7)
    expect(early).toEqual({
      type: 'ERROR',
      value: expect.stringMatching(/^Error: .*credential is null/),
      requestId: '1',
    })
    expect(injected).toEqual({ type: 'BUNDLE_INJECTED', value: true, requestId: '2' })
    expect([first?.type, first?.requestId, second?.type, second?.requestId]).toEqual(['STAMP', '3', 'STAMP', '4'])
    expect(verifyStamp(String(first?.value), '{"a":1}')).toBe(credential)
    expect(verifyStamp(String(second?.value), '{"a":2}')).toBe(credential)
    expect(got).toEqual({ type: 'EMBEDDED_PUBLIC_KEY', value: key, requestId: '5' })
    expect(kept).toEqual({ type: 'EMBEDDED_PUBLIC_KEY', value: key, requestId: '6' })
    expect(rest).toEqual([])
  })

  test('deletes the key but keeps the credential on reset', async () => {
    const page = await open({ channel: true })
    const key = publicKey((await received(page, 'port', 1))[0])
    const { bundle, publicKey: credential } = await sealBundle(key)
    await send(page, [
      { type: 'INJECT_RECOVERY_BUNDLE', value: bundle, requestId: '1' },
      { type: 'RESET_EMBEDDED_KEY', requestId: '2' },
      { type: 'GET_EMBEDDED_PUBLIC_KEY', requestId: '3' },
      { type: 'STAMP_REQUEST', value: '{}', requestId: '4' },
      { type: 'INJECT_CREDENTIAL_BUNDLE', value: bundle, requestId: '5' },
      { type: 'INIT_EMBEDDED_KEY', requestId: '6' },
      { type: 'INJECT_CREDENTIAL_BUNDLE', value: bundle, requestId: '7' },
    ])
    const answers = (await received(page, 'port', 8)).slice(1)
    expect(answers.slice(0, 3)).toEqual([
      { type: 'BUNDLE_INJECTED', value: true, requestId: '1' },
      { type: 'EMBEDDED_KEY_RESET', value: null, requestId: '2' },
      { type: 'EMBEDDED_PUBLIC_KEY', value: '', requestId: '3' },
    ])
    expect(answers[5]?.value).toMatch(/^04/)
    expect(answers[5]?.value).not.toBe(key)
    // The credential must still stamp: only custody or the end of the page ends the session.
    expect(answers[3]?.type).toBe('STAMP')
    expect(verifyStamp(String(answers[3]?.value), '{}')).toBe(credential)
    for (const index of [4, 6]) {
      expect(answers[index]).toMatchObject({ type: 'ERROR', requestId: String(index + 1) })
    }
    expect(answers[4]?.value).toMatch(/^Error: unable to decrypt bundle using embedded key/)
    expect(answers[6]?.value).toMatch(/^Error: unable to decrypt bundle using embedded key/)
  })

  test('keeps one key over reloads and tabs, even when made at once', async () => {
    const pages = await Promise.all([open({ channel: true }), open({ channel: true }), open({ channel: true })])
    const keys = await Promise.all(pages.map(async (page) => publicKey((await received(page, 'port', 1))[0])))
    expect(new Set(keys).size).toBe(1)
    const later = await open({ channel: true })
    expect(publicKey((await received(later, 'port', 1))[0])).toBe(keys[0])
  })

  test('ignores the window and a second channel after the first', async () => {
    const page = await open({ channel: true })
    await received(page, 'port', 1)
    const before = (await received(page, 'window', 1)).length
    await page.evaluate(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }) => window.harness.window.push(data)
      const message = { type: 'TURNKEY_INIT_MESSAGE_CHANNEL' }
      window.harness.frame.contentWindow?.postMessage(message, '*', [port2])
    })
    await post(page, [{ type: 'GET_EMBEDDED_PUBLIC_KEY', requestId: '1' }])
    await send(page, [{ type: 'GET_EMBEDDED_PUBLIC_KEY', requestId: '2' }])
    expect((await received(page, 'port', 2))[1]?.requestId).toBe('2')
    expect(await page.evaluate(() => window.harness.window.length)).toBe(before)
  })

  test('never lends a key that the browser keeps', async () => {
    const page = await open({ channel: true })
    const key = publicKey((await received(page, 'port', 1))[0])
    const { bundle } = await sealBundle(key)
    await send(page, [
      { type: 'INJECT_CREDENTIAL_BUNDLE', value: bundle, requestId: '1' },
      { type: 'LATCHKEY_LEND_KEY', requestId: '2' },
    ])
    const refusal = { type: 'ERROR', value: expect.stringContaining('the key is not lent'), requestId: '2' }
    expect((await received(page, 'port', 3))[2]).toEqual(refusal)
  })
})

test('works over the window as with older pages', async () => {
  const page = await open({ channel: false })
  const key = publicKey((await received(page, 'window', 1))[0])
  const { base64url, publicKey: credential } = await sealBundle(key)
  await post(page, [
    { type: 'INJECT_CREDENTIAL_BUNDLE', value: base64url },
    { type: 'STAMP_REQUEST', value: '{"b":1}' },
    { type: 'STAMP_REQUEST', value: '{"b":2}' },
  ])
  const [, injected, first, second] = await received(page, 'window', 4)
  expect(injected).toEqual({ type: 'BUNDLE_INJECTED', value: true })
  expect(Object.keys(first ?? {})).toEqual(['type', 'value'])
  expect(verifyStamp(String(first?.value), '{"b":1}')).toBe(credential)
  expect(verifyStamp(String(second?.value), '{"b":2}')).toBe(credential)

  // Without an id, a message may be meant for another frame.
  await post(page, [
    { type: 'NO_SUCH_THING' },
    { type: 'NO_SUCH_THING', requestId: '1' },
    { type: 'RESET_EMBEDDED_KEY', requestId: '2' },
  ])
  const answers = (await received(page, 'window', 6)).slice(4)
  expect(answers.map(({ type, requestId }) => [type, requestId])).toEqual([
    ['ERROR', '1'],
    ['EMBEDDED_KEY_RESET', '2'],
  ])
})

test('tells an unlisted parent only that it is not listed', async () => {
  const page = await open({ channel: false, at: foreign.url })
  await post(page, [{ type: 'GET_EMBEDDED_PUBLIC_KEY', requestId: '1' }, { type: 'RESET_EMBEDDED_KEY' }])
  await page.evaluate(() => window.harness.init())
  const [refused] = await received(page, 'port', 1)
  expect(refused).toEqual({ type: 'ERROR', value: `Error: ${foreign.url} is not on this frame's list` })
  await send(page, [{ type: 'GET_EMBEDDED_PUBLIC_KEY', requestId: '2' }])
  // Any reply would arrive before this round trip completes.
  const listed = await open({ channel: true })
  await received(listed, 'port', 1)
  expect(await page.evaluate(() => [window.harness.window.length, window.harness.port.length])).toEqual([0, 1])
})

test('ignores a window that is not the parent', async () => {
  const page = await open({ channel: false })
  await received(page, 'window', 1)
  await page.evaluate((origin) => {
    // The sibling frame has an allowed origin, but is not the parent.
    const sibling = document.createElement('iframe')
    document.body.append(sibling)
    const target = window.harness.frame.contentWindow
    Object.assign(sibling.contentWindow ?? {}, { target, origin })
    const script = sibling.contentDocument?.createElement('script')
    if (!script) return
    script.textContent = 'target.postMessage({ type: "RESET_EMBEDDED_KEY" }, origin)'
    sibling.contentDocument?.head.append(script)
  }, frame.url)
  await post(page, [{ type: 'GET_EMBEDDED_PUBLIC_KEY' }])
  const [ready, got] = await received(page, 'window', 2)
  expect(got).toEqual({ type: 'EMBEDDED_PUBLIC_KEY', value: ready?.value })
})

describe('pages around the parent', () => {
  const isOurs = async (page: Page) =>
    (await Promise.all(page.frames().map((inner) => inner.title()))).includes('Latchkey sign-in frame')
  /** Opens the frame in a page with an allowed origin, which is itself embedded in `top`. */
  const openNested = async (top: string) => {
    const page = await openInParent(context, { url: parent.url, parent: top, channel: false })
    await embed(page.frames()[1] as Frame, { url: strict.url, channel: true })
    return page
  }

  test('refuses an unlisted page at any depth', async () => {
    expect(await isOurs(await openNested(parent.url))).toBe(true)
    expect(await isOurs(await openNested(foreign.url))).toBe(false)
  })

  test('refuses a sandboxed page, which has no origin', async () => {
    const sandboxed = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': 'sandbox allow-scripts' })
      response.end('<!doctype html><title>Sandboxed</title><link rel="icon" href="data:,">')
    })
    // The sandbox of a page also applies to frames in it.
    const options = { url: strict.url, parent: sandboxed.url, channel: true, sandbox: 'allow-scripts' }
    const page = await openInParent(context, options)
    expect(await isOurs(page)).toBe(false)
    const unguarded = await startFrame(() => `null ${parent.url}`, null)
    const refused = await openInParent(context, { ...options, url: unguarded.url })
    expect(await isOurs(refused)).toBe(true)
    expect(await received(refused, 'port', 1)).toEqual([
      { type: 'ERROR', value: "Error: null is not on this frame's list" },
    ])
    await Promise.all([sandboxed.close(), unguarded.close()])
  })

  test('ignores the page that opened the parent', async () => {
    const opener = await openInParent(context, { url: parent.url, parent: foreign.url, channel: false })
    const opening = context.waitForEvent('page')
    await opener.evaluate((url) => Object.assign(window, { popup: window.open(url) }), parent.url)
    const popup = await opening
    await popup.waitForLoadState()
    await embed(popup, { url: strict.url, channel: false })
    const [ready] = await received(popup, 'window', 1)
    await opener.evaluate(() => {
      const { popup } = window as unknown as { popup: Window }
      popup.frames[0]?.postMessage({ type: 'RESET_EMBEDDED_KEY' }, '*')
      popup.frames[0]?.postMessage({ type: 'TURNKEY_INIT_MESSAGE_CHANNEL' }, '*', [new MessageChannel().port2])
    })
    await post(popup, [{ type: 'GET_EMBEDDED_PUBLIC_KEY' }])
    expect((await received(popup, 'window', 2))[1]).toEqual({ type: 'EMBEDDED_PUBLIC_KEY', value: publicKey(ready) })
    await popup.close()
  })

  test('does nothing outside a frame', async () => {
    const opener = await openInParent(context, { url: parent.url, parent: parent.url, channel: false })
    const opening = context.waitForEvent('page')
    await opener.evaluate((url) => window.open(url), strict.url)
    const popup = await opening
    await popup.getByText('There is nothing to do here').waitFor()
    expect(await popup.evaluate(() => indexedDB.databases())).toEqual([])
    await popup.close()
  })
})

test('refuses to run a modified script', async () => {
  const page = await context.newPage()
  await page.route(/auth-[^/]*\.js$/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `${await response.text()};document.title = 'stolen'` })
  })
  const refused = page.waitForEvent('console', (message) => message.text().includes('integrity'))
  await page.goto(frame.url)
  await refused
  expect(await page.title()).toBe('Latchkey sign-in frame')
  await page.close()
})
