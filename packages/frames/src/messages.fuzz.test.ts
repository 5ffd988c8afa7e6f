import { type Message, openInParent, received, startParent } from '@latchkey/testkit/signer/frameHarness'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { sealBundle } from '@latchkey/testkit/signer/sealBundle'
import { sealExport, signExport } from '@latchkey/testkit/signer/sealExport'
import { type FrameName, startFrame } from '@latchkey/testkit/signer/startFrame'
import { vectors } from '@latchkey/testkit/signer/vectors'
import fc from 'fast-check'
import { launchBrowser } from 'latchkey-dev/testing'
import { frameMessages, signingMessages } from 'latchkey-protocol'
import type { Browser, Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pressSeen } from '../../dev/src/testing/pressSeen.ts'

// `FUZZ_FRAME_MESSAGES` sets the number of messages per frame, `LATCHKEY_SEED` the seed.

const count = Number(process.env.FUZZ_FRAME_MESSAGES ?? 400)
const seed = Number(process.env.LATCHKEY_SEED)
const timeout = 60_000 + count * 100
/** Number of messages per round. Samples can be a megabyte each, so rounds limit the memory. */
const roundSize = 1_000
console.log(`frame messages: seed ${seed}, ${count} to each frame`)

const { signingKey, organizationId } = vectors.exportBundle
const { bundle: importBundle, userId, target } = vectors.importBundles
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

let browser: Browser
let parent: Listening
beforeAll(async () => {
  browser = await launchBrowser({ light: true })
  parent = await startParent()
})
afterAll(async () => {
  await browser?.close()
  await parent?.close()
})

const known = [...Object.values(frameMessages), ...Object.values(signingMessages)]
const names = ['styles', 'passphraseStyles', 'enablePassphrase', 'color', 'padding', '__proto__', 'constructor', 'data']
/** Malformed content, signed by the pinned key. */
const signed = fc
  .record({
    targetPublic: fc.oneof(fc.constant(target.publicKey), fc.string(), fc.constant(`04${'11'.repeat(64)}`)),
    encappedPublic: fc.oneof(
      fc.constant(target.publicKey),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef') }),
    ),
    ciphertext: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), maxLength: 300 }),
    organizationId: fc.oneof(fc.constant(organizationId), fc.string()),
    userId: fc.oneof(fc.constant(userId), fc.jsonValue()),
    email: fc.jsonValue(),
    address: fc.jsonValue(),
  })
  .map((data) => signExport(Buffer.from(JSON.stringify(data), 'utf8'), signingKey.privateKey))
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.json(),
  fc.dictionary(fc.constantFrom(...names), fc.jsonValue()).map((value) => JSON.stringify(value)),
  signed,
  fc.constantFrom('', '{', importBundle, importBundle.replace('v1', 'v2'), 'a'.repeat(1_000_001), '0'.repeat(9_999)),
)
const member = fc.oneof(text, fc.jsonValue(), fc.constantFrom(organizationId, userId, 'HEXADECIMAL'))
const message: fc.Arbitrary<Message> = fc.record(
  {
    type: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: fc.string() }),
    value: member,
    organizationId: member,
    userId: member,
    keyFormat: member,
  },
  { requiredKeys: ['type'] },
) as fc.Arbitrary<Message>
const junk = fc.oneof(fc.jsonValue(), fc.record({ type: fc.jsonValue() }))

type Opened = { page: Page; inner: Frame; key: string; failures: string[]; frame: Listening }
async function open(name: FrameName): Promise<Opened> {
  const frame = await startFrame(() => parent.url, undefined, {
    page: name,
    bundleSigningKey: () => signingKey.publicKey,
  })
  const failures: string[] = []
  const context = await browser.newContext()
  context.on('weberror', (error) => failures.push(String(error.error())))
  const shown = await openInParent(context, { url: frame.url, parent: parent.url, channel: true })
  shown.on('crash', () => failures.push('crash'))
  const [ready] = await received(shown, 'port', 1)
  const inner = shown.frames()[1]
  if (!inner) throw new TypeError('no frame')
  return { page: shown, inner, key: String(ready?.value), failures, frame }
}

/** Sends messages and returns all replies. Replies to these messages come first. */
async function exchange({ page }: Opened, messages: Message[]): Promise<Message[]> {
  const sent = messages.map((each, index) => ({ ...each, requestId: `${crypto.randomUUID()}-${index}` }))
  const ids = sent.map(({ requestId }) => requestId)
  // Ignores late replies to earlier messages without an id.
  const replies = await page.evaluate(async (list) => {
    const { port } = window.harness
    const missing = new Set(list.map(({ requestId }) => requestId))
    let read = port.length
    for (const each of list) window.harness.send(each)
    while (missing.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      for (; read < port.length; read++) missing.delete(port[read]?.requestId ?? '')
    }
    return port.splice(0)
  }, sent)
  const isOwn = ({ requestId }: Message) => requestId !== undefined && ids.includes(requestId)
  const own = replies.filter(isOwn)
  expect(own.map(({ requestId }) => requestId).sort()).toEqual([...ids].sort())
  return [...own, ...replies.filter((reply) => !isOwn(reply))]
}

const replyTypes: ReadonlySet<string> = new Set<string>([
  frameMessages.bundleInjected,
  frameMessages.stamp,
  frameMessages.embeddedPublicKey,
  frameMessages.embeddedKeyReset,
  frameMessages.encryptedBundleExtracted,
  frameMessages.settingsApplied,
  frameMessages.error,
  signingMessages.embeddedPrivateKeyCleared,
])

/** Expects exactly one valid reply to each message, without any of the secrets. */
async function flood(opened: Opened, secrets: readonly string[], before: () => Promise<void>): Promise<void> {
  const began = performance.now()
  for (let sent = 0; sent < count; sent += roundSize)
    await floodOnce(opened, { secrets, before, count: Math.min(roundSize, count - sent), seed: seed + sent })
  console.log(`${count} messages to ${new URL(opened.inner.url()).host} in ${Math.round(performance.now() - began)} ms`)
  expect(opened.failures).toEqual([])
}

type Round = { secrets: readonly string[]; before: () => Promise<void>; count: number; seed: number }

async function floodOnce(opened: Opened, { secrets, before, ...sampled }: Round): Promise<void> {
  const all = fc.sample(message, { numRuns: sampled.count, seed: sampled.seed })
  const noise: unknown[] = fc.sample(junk, { numRuns: Math.ceil(sampled.count / 10), seed: sampled.seed })
  for (let start = 0; start < all.length; start += 50) {
    await before()
    await opened.page.evaluate(
      (list) => {
        for (const each of list) {
          window.harness.send(each as never)
          window.harness.post(each as never)
        }
      },
      noise.splice(0, 5),
    )
    const replies = await exchange(opened, all.slice(start, start + 50))
    for (const reply of replies) {
      expect(replyTypes.has(reply.type), reply.type).toBe(true)
      if (reply.type === frameMessages.error) expect(String(reply.value)).toMatch(/^Error: [^\n]{1,300}$/)
      for (const secret of secrets) expect(JSON.stringify(reply)).not.toContain(secret)
    }
  }
}

test('the auth frame survives any messages', { timeout }, async () => {
  const opened = await open('auth')
  const scalar = vectors.apiKeyStamp.privateKey
  const { bundle } = await sealBundle(opened.key, Buffer.from(scalar, 'hex'))
  const inject = { type: frameMessages.injectCredentialBundle, value: bundle }
  await exchange(opened, [inject])
  // Some messages replace the key, but the credential stays.
  const secrets = [scalar, Buffer.from(scalar, 'hex').toString('base64url')]
  await flood(opened, secrets, async () => undefined)
  const [after] = await exchange(opened, [{ type: frameMessages.initEmbeddedKey }])
  expect(after?.value).toMatch(/^04[0-9a-f]{128}$/)
  await opened.page.close()
  await opened.frame.close()
})

test('the export frame survives any messages while it shows a secret', { timeout }, async () => {
  const opened = await open('export')
  const secret = new TextEncoder().encode(phrase)
  const value = await sealExport({
    targetPublicKey: opened.key,
    organizationId,
    secret,
    signingKey: signingKey.privateKey,
  })
  const [shown] = await exchange(opened, [{ type: frameMessages.injectWalletExportBundle, value, organizationId }])
  expect(shown?.type).toBe(frameMessages.bundleInjected)
  await pressSeen(opened.inner.locator('#go-on'))
  await pressSeen(opened.inner.locator('#reveal'))
  await flood(opened, ['winner', 'sausage'], async () => undefined)
  expect(await opened.inner.locator('#secret').textContent()).toBe(phrase)
  await opened.page.close()
  await opened.frame.close()
})

test('the signing page survives any messages while it holds a key', { timeout }, async () => {
  const opened = await open('export-and-sign')
  const secret = vectors.importBundles.privateKey.opensTo
  const inject = async (): Promise<Message> => {
    const [made] = await exchange(opened, [{ type: frameMessages.initEmbeddedKey }])
    const value = await sealExport({
      targetPublicKey: String(made?.value),
      organizationId,
      secret: Buffer.from(secret, 'hex'),
      signingKey: signingKey.privateKey,
    })
    return { type: frameMessages.injectKeyExportBundle, value, organizationId }
  }
  await flood(opened, [secret, Buffer.from(secret, 'hex').toString('base64url')], async () => {
    expect((await exchange(opened, [await inject()]))[0]?.type).toBe(frameMessages.bundleInjected)
  })
  await exchange(opened, [await inject()])
  const request = { type: signingMessages.signMessage, value: JSON.stringify({ message: 'x', type: 'ETHEREUM' }) }
  const signed = exchange(opened, [request])
  await pressSeen(opened.inner.locator('#go-on'))
  expect((await signed)[0]?.type).toBe(signingMessages.messageSigned)
  await opened.page.close()
  await opened.frame.close()
})

test('the import frame survives any messages while a phrase is typed', { timeout }, async () => {
  const opened = await open('import')
  const inject = { type: frameMessages.injectImportBundle, value: importBundle, organizationId, userId }
  await flood(opened, ['winner', 'sausage'], async () => {
    // Another bundle ends a pending extraction.
    await exchange(opened, [inject])
    if (await opened.inner.locator('#secret').isVisible())
      await opened.inner.locator('#secret').fill('legal winner thank')
  })
  await exchange(opened, [inject])
  await opened.inner.locator('#secret').fill(phrase)
  const extracted = exchange(opened, [{ type: frameMessages.extractWalletEncryptedBundle }])
  await pressSeen(opened.inner.locator('#go-on'))
  expect((await extracted)[0]?.type).toBe(frameMessages.encryptedBundleExtracted)
  await opened.page.close()
  await opened.frame.close()
})
