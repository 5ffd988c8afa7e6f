import { embeddedKeyPair } from '@latchkey/testkit/signer/embeddedKeyPair'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { sealBundle } from '@latchkey/testkit/signer/sealBundle'
import { sealExport } from '@latchkey/testkit/signer/sealExport'
import { startFrame } from '@latchkey/testkit/signer/startFrame'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { verifyStamp } from '@latchkey/testkit/signer/verifyStamp'
import { hex } from '@scure/base'
import puppeteer, { type Browser, type Frame, type Page } from 'puppeteer-core'
import { serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium } from '../../packages/dev/src/testing/launchBrowser.ts'
import { openSealed } from '../../packages/frames/src/bundles/hpke.ts'
import type { Outcome, StamperVersion } from './stamperPage.ts'
import { startStamperPage } from './startStamperPage.ts'

// Runs the published clients of the frames against Latchkey's frames.

const { signingKey, organizationId } = vectors.exportBundle
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
/** Oldest version, first version with imports, and a version that matches responses to requests by id. */
const versions = ['1.0.0', '1.2.0', '2.11.1'] as const
const hasRequestIds = (version: StamperVersion) => version === '2.11.1'

let page: Listening
let frames: Record<'auth' | 'export' | 'export-and-sign' | 'import', Listening>

beforeAll(async () => {
  page = await startStamperPage()
  const listed = () => `${page.url} ${otherSite()}`
  const start = (name: keyof typeof frames) =>
    startFrame(listed, listed, { page: name, bundleSigningKey: () => signingKey.publicKey })
  frames = {
    auth: await start('auth'),
    export: await start('export'),
    'export-and-sign': await start('export-and-sign'),
    import: await start('import'),
  }
})
afterAll(async () => {
  await Promise.all([page, ...Object.values(frames ?? {})].map((server) => server?.close()))
})
const otherSite = () => page.url.replace('localhost', '127.0.0.1')

let browser: Browser
/** Tab that each test reloads, because opening a tab takes longer than a test. */
let tab: Page
beforeAll(async () => {
  browser = await puppeteer.launch({
    executablePath: (await findChromium()) ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    timeout: 60_000,
  })
  tab = await browser.newPage()
})
afterAll(() => browser?.close())

const load = async (target = tab, url = page.url): Promise<Page> => {
  await target.goto(url)
  await target.waitForFunction(() => window.stampers !== undefined)
  return target
}
const open = (tab: Page, version: StamperVersion, frame: keyof typeof frames): Promise<string> =>
  // The server's configuration contains frame URLs with the project id.
  tab.evaluate((...all) => window.stampers.open(...all), version, `${frames[frame].url}/?project=dev`, frame)
const call = (tab: Page, frame: keyof typeof frames, method: string, ...parameters: unknown[]): Promise<Outcome> =>
  tab.evaluate((...all) => window.stampers.call(...all), frame, method, ...parameters)
const inner = (tab: Page, frame: keyof typeof frames): Promise<Frame> =>
  tab.waitForFrame((candidate) => candidate.url().startsWith(frames[frame].url))
/** Clicks again after a pause, because the frame ignores clicks on elements that have just become visible. */
const press = async (frame: Frame, button: string) => {
  await frame.waitForSelector(button, { visible: true })
  for (let tries = 0; tries < 10; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 750))
    await frame.locator(button).click()
    const texts = await frame.$$eval('[role=status]', (all) => all.map(({ textContent }) => textContent ?? ''))
    if (!texts.some((text) => /Make sure you can see|Please read/.test(text))) return
  }
}
const expectStamp = (outcome: Outcome | undefined, body: string, publicKey: string) => {
  const { stampHeaderName, stampHeaderValue } = (outcome?.value ?? {}) as Record<string, string>
  expect(stampHeaderName).toBe('X-Stamp')
  expect(verifyStamp(String(stampHeaderValue), body)).toBe(publicKey)
}

describe.each(versions)('iframe-stamper %s', (version) => {
  test('signs in, stamps and continues after a reload', async () => {
    await load()
    const key = await open(tab, version, 'auth')
    expect(key).toMatch(/^04[0-9a-f]{128}$/)
    const early = await call(tab, 'auth', 'stamp', '{}')
    expect(early.error).toMatch(/^Error: .*credential is null/)
    const { bundle, publicKey } = await sealBundle(key)
    const garbage = await call(tab, 'auth', 'injectCredentialBundle', `${bundle}x`)
    expect(garbage.error).toMatch(/^Error: the bundle is neither/)

    await load()
    expect(await open(tab, version, 'auth')).toBe(key)
    expect(await call(tab, 'auth', 'injectCredentialBundle', bundle)).toEqual({ value: true })
    expectStamp(await call(tab, 'auth', 'stamp', '{"a":1}'), '{"a":1}', publicKey)

    const bodies = [0, 1, 2, 3, 4].map((index) => JSON.stringify({ index }))
    const stamps = await tab.evaluate((list) => window.stampers.callAll('auth', 'stamp', list), bodies)
    expect(stamps).toHaveLength(5)
    for (const [index, outcome] of stamps.entries()) {
      // A client without ids returns the first response to every caller, because the frame can only reply in order.
      expectStamp(outcome, bodies[hasRequestIds(version) ? index : 0] ?? '', publicKey)
    }
  })

  test('exports signed bundles and shows the secret to the person alone', async () => {
    await load()
    const key = await open(tab, version, 'export')
    const secret = new TextEncoder().encode(phrase)
    const seal = (signer: string) => sealExport({ targetPublicKey: key, organizationId, secret, signingKey: signer })
    const inject = async (signer: string) =>
      call(tab, 'export', 'injectWalletExportBundle', await seal(signer), organizationId)
    expect((await inject(vectors.apiKeyStamp.privateKey)).error).toMatch(/a key this frame does not know/)
    expect(await inject(signingKey.privateKey)).toEqual({ value: true })
    const frame = await inner(tab, 'export')
    expect(await frame.content()).not.toContain('winner')
    await press(frame, '#go-on')
    await press(frame, '#reveal')
    expect(await frame.$eval('#secret', (element) => element.textContent)).toBe(phrase)
    expect(await tab.content()).not.toContain('winner')
  })
})

// Version 1.0.0 does not support imports.
test.each(versions.slice(1))('imports a seed phrase and a key with iframe-stamper %s', async (version) => {
  await load()
  const { importBundles: vector } = vectors
  expect(await open(tab, version, 'import')).toBe('')
  const frame = await inner(tab, 'import')
  for (const [typed, method, expected] of [
    [phrase, 'extractWalletEncryptedBundle', phrase],
    [`0x${vector.privateKey.opensTo}`, 'extractKeyEncryptedBundle', vector.privateKey.opensTo],
  ] as const) {
    const ids = [organizationId, vector.userId]
    expect(await call(tab, 'import', 'injectImportBundle', vector.bundle, ...ids)).toEqual({ value: true })
    await frame.locator('#secret').fill(typed)
    const extracted = call(tab, 'import', method)
    await press(frame, '#go-on')
    const { value } = await extracted
    const { encappedPublic, ciphertext } = JSON.parse(String(value)) as Record<string, string>
    const opened = await openSealed({
      enc: hex.decode(encappedPublic ?? ''),
      ciphertext: hex.decode(ciphertext ?? ''),
      embeddedKey: await embeddedKeyPair(vector.target.privateKey),
    })
    expect(Buffer.from(opened).toString(method.includes('Wallet') ? 'utf8' : 'hex')).toBe(expected)
    expect(await frame.$eval('#secret', (element) => (element as HTMLTextAreaElement).value)).toBe('')
  }
})

test('returns, deletes and recreates the embedded key for the newest client', async () => {
  await load()
  const key = await open(tab, '2.11.1', 'auth')
  expect(await call(tab, 'auth', 'getEmbeddedPublicKey')).toEqual({ value: key })
  const { bundle, publicKey } = await sealBundle(key)
  expect(await call(tab, 'auth', 'injectCredentialBundle', bundle)).toEqual({ value: true })
  expect(await call(tab, 'auth', 'clearEmbeddedKey')).toEqual({ value: null })
  expect(await call(tab, 'auth', 'getEmbeddedPublicKey')).toEqual({ value: '' })
  // The session must keep its credential.
  const body = '{"after":"clearEmbeddedKey"}'
  expectStamp(await call(tab, 'auth', 'stamp', body), body, publicKey)
  expect((await call(tab, 'auth', 'injectCredentialBundle', bundle)).error).toMatch(/^Error: unable to decrypt bundle/)
  const { value: made } = await call(tab, 'auth', 'initEmbeddedKey')
  expect(made).toMatch(/^04[0-9a-f]{128}$/)
  expect(made).not.toBe(key)
  // The frame must refuse unknown requests instead of leaving them pending.
  expect((await call(tab, 'auth', 'signMessage', { message: 'x', type: 'ETHEREUM' })).error).toContain('does not know')
})

test('signs a message and a transaction for the newest client, each after a click', async () => {
  await load()
  const account = privateKeyToAccount(`0x${vectors.importBundles.privateKey.opensTo}`)
  const key = await open(tab, '2.11.1', 'export-and-sign')
  const bundle = await sealExport({
    targetPublicKey: key,
    organizationId,
    secret: hex.decode(vectors.importBundles.privateKey.opensTo),
    signingKey: signingKey.privateKey,
  })
  const sign = (method: string, ...parameters: unknown[]) => call(tab, 'export-and-sign', method, ...parameters)
  expect((await sign('signMessage', { message: 'x', type: 'ETHEREUM' })).error).toContain('no key to sign with')
  expect(await sign('injectKeyExportBundle', bundle, organizationId, 'HEXADECIMAL', account.address)).toEqual({
    value: true,
  })
  const frame = await inner(tab, 'export-and-sign')
  // In a frame of the default size, the user must scroll to both parts of the request.
  const agree = async () => {
    await frame.waitForSelector('#request', { visible: true })
    await frame.$eval('#shown', (box) => box.scrollTo(0, box.scrollHeight))
    await press(frame, '#go-on')
  }
  const message = 'Sign in to example.com'
  const signed = sign('signMessage', { message, type: 'ETHEREUM' }, account.address)
  await agree()
  expect(await signed).toEqual({ value: await account.signMessage({ message }) })
  const fees = { gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }
  const transaction = { type: 'eip1559', chainId: 1, nonce: 0, to: account.address, value: 1n, ...fees } as const
  const unsigned = serializeTransaction(transaction)
  const sent = sign('signTransaction', { transaction: unsigned, type: 'ETHEREUM' })
  await agree()
  expect(await sent).toEqual({ value: await account.signTransaction(transaction) })
  expect((await sign('signMessage', { message, type: 'SOLANA' })).error).toContain("Solana's curve is not served")
  for (const method of ['setEmbeddedKeyOverride', 'resetToDefaultEmbeddedKey'])
    expect((await sign(method, organizationId, bundle)).error).toContain('could install one that it knows')
  expect(await sign('clearEmbeddedPrivateKey')).toEqual({ value: true })
  expect((await sign('signMessage', { message, type: 'ETHEREUM' })).error).toContain('no key to sign with')
})

test('refuses signing requests in the export frame and names the frame that serves them', async () => {
  await load()
  await open(tab, '2.11.1', 'export')
  for (const [method, type, where] of [
    ['signMessage', 'SIGN_MESSAGE', '/export-and-sign'],
    ['signTransaction', 'SIGN_TRANSACTION', '/export-and-sign'],
    ['clearEmbeddedPrivateKey', 'CLEAR_EMBEDDED_PRIVATE_KEY', '/export-and-sign'],
    ['setEmbeddedKeyOverride', 'SET_EMBEDDED_KEY_OVERRIDE', 'no frame takes a key'],
    ['resetToDefaultEmbeddedKey', 'RESET_TO_DEFAULT_EMBEDDED_KEY', 'no frame takes a key'],
  ] as const) {
    const { error } = await call(tab, 'export', method, { message: 'x', type: 'ETHEREUM' })
    expect(error).toContain(`${type} is refused: `)
    expect(error).toContain(where)
  }
})

test('gives two sites different keys, and neither opens a bundle for the other', async () => {
  const [here, there] = [await load(), await load(await browser.newPage(), otherSite())]
  const keys = [await open(here, '2.11.1', 'auth'), await open(there, '2.11.1', 'auth')] as const
  expect(keys[0]).not.toBe(keys[1])
  const { bundle } = await sealBundle(keys[0])
  const refused = await call(there, 'auth', 'injectCredentialBundle', bundle)
  expect(refused.error).toMatch(/^Error: unable to decrypt bundle using embedded key/)
  expect(await call(here, 'auth', 'injectCredentialBundle', bundle)).toEqual({ value: true })
})
