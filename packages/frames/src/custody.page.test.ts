import { createHash } from 'node:crypto'
import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import { type Message, openInParent, received, send, startParent } from '@latchkey/testkit/signer/frameHarness'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { test } from '@latchkey/testkit/worker'
import { formatKeyFingerprint } from 'latchkey-protocol'
import type { Browser, Frame, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { pressSeen } from '../../dev/src/testing/pressSeen.ts'
import { framesApp } from '../../server/src/frames/app.ts'
import { listen } from '../../server/src/platform/http/listen.ts'

// The signer tests in packages/latchkey cover imports and exports by users.

const phrase = 'test test test test test test test test test test test junk'

let browser: Browser
let parent: Listening
let custody: TestCustody
let frames: Record<'export' | 'import', Listening>

test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  parent = await startParent()
  const project = {
    id: 'page',
    name: 'Page',
    apiKey: 'key-of-page',
    redirectUrls: [parent.url],
    allowedOrigins: [parent.url],
    // Lets the project create users with keys.
    parentCredentials: 'allowed' as const,
  }
  custody = await startTestCustody({ projects: [project] })
  const start = (page: keyof typeof frames) => {
    const app = framesApp({ projects: [project], page, bundleSigningPublicKey: custody.bundleSigner })
    return listen((request) => app.fetch(request), { port: 0 })
  }
  frames = { export: await start('export'), import: await start('import') }
})
afterAll(async () => {
  await Promise.all([parent, ...Object.values(frames ?? {})].map((server) => server?.close()))
  await custody?.close()
})

type Opened = { page: Page; inner: Frame; key: string }
async function open(frame: keyof typeof frames): Promise<Opened> {
  const url = `${frames[frame].url}/?project=page`
  const page = await openInParent(await browser.newContext(), { url, parent: parent.url, channel: true })
  const [ready] = await received(page, 'port', 1)
  const inner = page.frames()[1]
  if (!inner) throw new TypeError('no frame')
  return { page, inner, key: String(ready?.value) }
}
async function ask({ page }: Opened, message: Message): Promise<unknown> {
  const before = await page.evaluate(() => window.harness.port.length)
  await send(page, [{ ...message, requestId: 'r' }])
  const answer = (await received(page, 'port', before + 1))[before]
  expect(answer?.type, String(answer?.value)).not.toBe('ERROR')
  return answer?.value
}
async function submit(user: TestUser, call: string, parameters: object): Promise<Record<string, unknown>> {
  const activity = custody.activity(`ACTIVITY_TYPE_${call.toUpperCase()}`, user.orgId, parameters)
  const { status, body } = await custody.call(`submit/${call}`, activity, user.key)
  expect([status, body.message]).toEqual([200, undefined])
  return Object.values(body.activity.result)[0] as Record<string, unknown>
}

test('shows the same key fingerprint as the confirmation mail', async () => {
  const opened = await open('export')
  const shown = () => opened.inner.locator('#fingerprint').textContent()
  const named = (key: unknown) =>
    formatKeyFingerprint(
      createHash('sha256')
        .update(Buffer.from(String(key), 'hex'))
        .digest(),
    )
  expect(await shown()).toBe(named(opened.key))
  expect(await opened.inner.locator('#fingerprint').isVisible()).toBe(true)
  await ask(opened, { type: 'RESET_EMBEDDED_KEY' })
  expect(await ask(opened, { type: 'GET_EMBEDDED_PUBLIC_KEY' })).toBe('')
  const made = await ask(opened, { type: 'INIT_EMBEDDED_KEY' })
  expect(made).not.toBe(opened.key)
  expect(await shown()).toBe(named(made))
})

test('names the account of an injected bundle, and imports nothing without a click', async () => {
  const mallory = await custody.createUser()
  const { importBundle } = await submit(mallory, 'init_import_wallet', { userId: mallory.userId })
  const opened = await open('import')
  const { orgId: organizationId, userId } = mallory
  await ask(opened, { type: 'INJECT_IMPORT_BUNDLE', value: String(importBundle), organizationId, userId })
  const named = await opened.inner.locator('#card .account').textContent()
  expect(named).toContain(mallory.address)
  // The frame must not show an unverified e-mail address.
  expect(named).not.toContain('@')
  await opened.inner.locator('#secret').fill(phrase)
  await send(opened.page, [{ type: 'EXTRACT_WALLET_ENCRYPTED_BUNDLE', requestId: 'x' }])
  await opened.inner.locator('#agree').waitFor()
  expect(await opened.inner.locator('#agree .account').textContent()).toBe(named)
  await pressSeen(opened.inner.locator('#not-me'))
  const messages = await received(opened.page, 'port', 3)
  expect(messages.slice(2)).toEqual([{ type: 'ERROR', value: 'Error: the person declined', requestId: 'x' }])
})
