import { createHash } from 'node:crypto'
import { startTestCustody, type TestCustody, type TestUser, walletParameters } from '@latchkey/testkit/custody'
import { type Message, openInParent, received, send, startParent } from '@latchkey/testkit/signer/frameHarness'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { test } from '@latchkey/testkit/worker'
import { formatKeyFingerprint } from 'latchkey/wire'
import type { Browser, Frame, Page } from 'playwright-core'
import { type Address, type Hex, verifyMessage } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect } from 'vitest'
import { pressSeen } from '../../dev/src/testing/pressSeen.ts'
import { framesApp } from '../../server/src/frames/app.ts'
import { listen } from '../../server/src/http/listen.ts'

// Custody and the frames of one server: a secret typed into the import frame is shown by the export frame.

const phrase = 'test test test test test test test test test test test junk'
const privateKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

let browser: Browser
let parent: Listening
let custody: TestCustody
let frames: Record<'auth' | 'export' | 'import', Listening>

test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  parent = await startParent()
  const project = {
    id: 'page',
    name: 'Page',
    apiKey: 'key-of-page',
    redirectUrls: [parent.url],
    allowedOrigins: [parent.url],
    // Users here have keys from the start.
    parentCredentials: 'allowed' as const,
    frameSigning: 'on' as const,
  }
  custody = await startTestCustody({ projects: [project] })
  const start = (page: keyof typeof frames) => {
    const app = framesApp({ projects: [project], page, bundleSigningPublicKey: custody.bundleSigner })
    return listen((request) => app.fetch(request), { port: 0 })
  }
  frames = { auth: await start('auth'), export: await start('export'), import: await start('import') }
})
afterAll(async () => {
  await Promise.all([parent, ...Object.values(frames ?? {})].map((server) => server?.close()))
  await custody?.close()
})

type Opened = { page: Page; inner: Frame; key: string }
async function open(frame: keyof typeof frames, path = '/'): Promise<Opened> {
  const url = `${frames[frame].url}${path}?project=page`
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
/** Submits an activity. Returns the content of its result. */
async function submit(user: TestUser, call: string, parameters: object): Promise<Record<string, unknown>> {
  const activity = custody.activity(`ACTIVITY_TYPE_${call.toUpperCase()}`, user.orgId, parameters)
  const { status, body } = await custody.call(`submit/${call}`, activity, user.key)
  expect([status, body.message]).toEqual([200, undefined])
  return Object.values(body.activity.result)[0] as Record<string, unknown>
}
/** Types a secret into the import frame. Resolves with what the frame sealed for custody. */
async function importSecret(user: TestUser, init: string, extract: string, typed: string): Promise<unknown> {
  const { importBundle } = await submit(user, init, { userId: user.userId })
  const opened = await open('import')
  const value = String(importBundle)
  await ask(opened, { type: 'INJECT_IMPORT_BUNDLE', value, organizationId: user.orgId, userId: user.userId })
  await opened.inner.locator('#secret').fill(typed)
  const reply = ask(opened, { type: extract })
  await pressSeen(opened.inner.locator('#go-on'))
  return reply
}
/** Exports a secret. Resolves with what the export frame shows. */
async function exportSecret(user: TestUser, call: string, parameters: object, inject: string): Promise<string | null> {
  const opened = await open('export')
  const { exportBundle } = await submit(user, call, { ...parameters, targetPublicKey: opened.key })
  await ask(opened, { type: inject, value: String(exportBundle), organizationId: user.orgId })
  const goOn = opened.inner.locator('#go-on')
  if (await goOn.isVisible()) await pressSeen(goOn)
  await pressSeen(opened.inner.locator('#reveal'))
  return opened.inner.locator('#secret').textContent()
}

test('default: a seed phrase', async () => {
  const user = await custody.createUser()
  const typed = `1. ${phrase.toUpperCase()}`
  const encryptedBundle = await importSecret(user, 'init_import_wallet', 'EXTRACT_WALLET_ENCRYPTED_BUNDLE', typed)
  const parameters = { userId: user.userId, walletName: 'Mine', encryptedBundle, accounts: walletParameters.accounts }
  const { walletId, addresses } = await submit(user, 'import_wallet', parameters)
  expect(addresses).toEqual([mnemonicToAccount(phrase).address])
  expect(await exportSecret(user, 'export_wallet', { walletId }, 'INJECT_WALLET_EXPORT_BUNDLE')).toBe(phrase)
})

test('default: the key of an account signs in a frame', async () => {
  const user = await custody.createUser()
  const { address } = user
  const opened = await open('export', '/export-and-sign')
  const target = { address, targetPublicKey: opened.key }
  const { exportBundle } = await submit(user, 'export_wallet_account', target)
  const value = String(exportBundle)
  await ask(opened, { type: 'INJECT_KEY_EXPORT_BUNDLE', value, organizationId: user.orgId, address })
  expect(await opened.inner.locator('#ready .account').textContent()).toContain(address)
  const message = 'hello'
  const signed = ask(opened, { type: 'SIGN_MESSAGE', value: JSON.stringify({ message, type: 'ETHEREUM' }) })
  await pressSeen(opened.inner.locator('#go-on'))
  const signature = (await signed) as Hex
  expect(await verifyMessage({ address: address as Address, message, signature })).toBe(true)
})

test('default: a private key', async () => {
  const user = await custody.createUser()
  const encryptedBundle = await importSecret(
    user,
    'init_import_private_key',
    'EXTRACT_KEY_ENCRYPTED_BUNDLE',
    privateKey,
  )
  const { privateKeyId, addresses } = await submit(user, 'import_private_key', {
    userId: user.userId,
    privateKeyName: 'Mine',
    encryptedBundle,
    curve: 'CURVE_SECP256K1',
    addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  })
  const { address } = privateKeyToAccount(privateKey)
  expect(addresses).toEqual([{ format: 'ADDRESS_FORMAT_ETHEREUM', address }])
  expect(await exportSecret(user, 'export_private_key', { privateKeyId }, 'INJECT_KEY_EXPORT_BUNDLE')).toBe(privateKey)
})

test('behavior: the export frame names its key as the mail does that confirms an export', async () => {
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

test('error: a page that injects its own person sees that person named, and gets nothing without a click', async () => {
  const mallory = await custody.createUser()
  const { importBundle } = await submit(mallory, 'init_import_wallet', { userId: mallory.userId })
  const opened = await open('import')
  const { orgId: organizationId, userId } = mallory
  await ask(opened, { type: 'INJECT_IMPORT_BUNDLE', value: String(importBundle), organizationId, userId })
  const named = await opened.inner.locator('#card .account').textContent()
  expect(named).toContain(mallory.address)
  // No mail to it was used: the address could be anyone's.
  expect(named).not.toContain('@')
  await opened.inner.locator('#secret').fill(phrase)
  await send(opened.page, [{ type: 'EXTRACT_WALLET_ENCRYPTED_BUNDLE', requestId: 'x' }])
  await opened.inner.locator('#agree').waitFor()
  expect(await opened.inner.locator('#agree .account').textContent()).toBe(named)
  await pressSeen(opened.inner.locator('#not-me'))
  const messages = await received(opened.page, 'port', 3)
  expect(messages.slice(2)).toEqual([{ type: 'ERROR', value: 'Error: the person declined', requestId: 'x' }])
})
