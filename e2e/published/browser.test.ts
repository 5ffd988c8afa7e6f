import { rm } from 'node:fs/promises'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { startFrame } from '@latchkey/testkit/signer/startFrame'
import { startTestSignerApi, type TestSignerApi, testOrigin } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey/wire'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { type Hex, verifyMessage, verifyTypedData } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { addAuthenticator } from '../../packages/dev/src/testing/addAuthenticator.ts'
import { readConfirmationMail } from '../../packages/dev/src/testing/readConfirmationMail.ts'
import { buildPage } from './buildPage.ts'
import { forwardTo } from './forwardTo.ts'
import { openProfile } from './openProfile.ts'
import { untilAwaited } from './untilAwaited.ts'

// The signer of `@alchemy/aa-alchemy` 3.14.1 as it was published, in a browser, with our server and frames behind the
// addresses it knows.

let world: TestSignerApi
let frames: { auth: Listening; exporting: Listening }
let context: BrowserContext
let profile: string
let scripts: Record<'published' | 'moved', string>
beforeAll(async () => {
  world = await startTestSignerApi({ project: { confirmations: 'mail' } })
  scripts = { published: await buildPage(), moved: await buildPage({ moved: true }) }
  frames = {
    auth: await startFrame(() => testOrigin),
    exporting: await startFrame(() => testOrigin, undefined, {
      page: 'export',
      bundleSigningKey: () => world.custody.bundleSigner,
    }),
  }
})
afterAll(async () => {
  await Promise.all([frames?.auth.close(), frames?.exporting.close()])
  await world?.close()
})
beforeEach(async () => {
  ;({ profile, context } = await openProfile())
  // Only the test's own time limit ends anything: other programs may need the machine.
  context.setDefaultTimeout(0)
  await context.route(`${testOrigin}/**`, servePage)
  await context.route(
    'https://api.turnkey.com/**',
    forwardTo((request) => world.custody.app.fetch(request)),
  )
  await context.route(
    'https://api.g.alchemy.com/**',
    forwardTo((request) => world.app.fetch(request)),
  )
  await context.route(
    'https://auth.turnkey.com/**',
    forwardTo(fetch, () => frames.auth.url),
  )
  await context.route(
    'https://export.turnkey.com/**',
    forwardTo(fetch, () => frames.exporting.url),
  )
})
afterEach(async () => {
  // Requests may still be under way, and the browser may still write.
  await context?.unrouteAll({ behavior: 'ignoreErrors' })
  await context?.close()
  await rm(profile, { recursive: true, force: true, maxRetries: 10 })
})

function servePage(route: Route): Promise<void> {
  const { pathname } = new URL(route.request().url())
  const name = pathname.startsWith('/moved') ? 'moved' : 'published'
  if (pathname.endsWith('.js')) return route.fulfill({ contentType: 'text/javascript', body: scripts[name] })
  const config = JSON.stringify({ rootOrgId: world.custody.rootOrganizationId })
  const body = `<!doctype html><title>Published</title><link rel="icon" href="data:,">
<div id="alchemy-signer-iframe-container" style="display:none"></div><div id="alchemy-signer-export"></div>
<script type="application/json" id="config">${config}</script><script type="module" src="/${name}.js"></script>`
  return route.fulfill({ contentType: 'text/html', body })
}

async function open(url = testOrigin): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForFunction(() => window.published !== undefined)
  return page
}

/** Signs messages of both kinds and has them verified. */
async function expectSigner(page: Page, address: Hex): Promise<void> {
  const typedData = {
    domain: { name: 'Test', chainId: 1 },
    types: { Mail: [{ name: 'text', type: 'string' }] },
    primaryType: 'Mail',
    message: { text: 'hello' },
  } as const
  const [message, typed] = await page.evaluate(async (data) => {
    const { signer } = window.published
    return [await signer.signMessage('hello'), await signer.signTypedData(data as never)] as [Hex, Hex]
  }, typedData as never)
  expect(await verifyMessage({ address, message: 'hello', signature: message })).toBe(true)
  expect(await verifyTypedData({ ...typedData, address, signature: typed })).toBe(true)
}

/** Confirms from the next mail, of which `skip` were read before, what the page waits for. */
async function confirmByMail(email: string, skip = 0): Promise<void> {
  const link = await readConfirmationMail({ urls: { inbox: world.inbox.url } }, email, { skip })
  const secret = new URL(link).hash.slice(1)
  const body = JSON.stringify({ secret, decision: 'accept' })
  const { body: decided } = await world.custody.send(custodyPaths.decideConfirmation, body)
  expect(decided.confirmation).toMatchObject({ state: 'confirmed', email })
}

test('default: sign-up by mail, signing, a passkey more and the seed phrase', async () => {
  const email = 'published@example.com'
  const asking = await open()
  await addAuthenticator(asking)
  const waiting = asking.evaluate(
    (address) => window.published.signer.authenticate({ type: 'email', email: address }),
    email,
  )
  await expect.poll(() => world.inbox.messages({ to: email }).length).toBe(1)
  await untilAwaited(asking)
  const link = world.readLink(email)
  const opened = await open(link.href)
  const user = await opened.evaluate(() => {
    const bundle = new URLSearchParams(location.search).get('bundle') ?? ''
    return window.published.signer.authenticate({ type: 'email', bundle })
  })
  expect(user).toMatchObject({ email, orgId: link.searchParams.get('orgId'), address: expect.stringMatching(/^0x/) })
  await expectSigner(opened, user.address)
  // The tab that asked is signed in too, by what the other one stored. Its client resolves as soon as it has read that,
  // its frame takes the bundle in after: the details are available when both are done.
  expect(await waiting).toMatchObject({ address: user.address })
  const details = await asking.evaluate(() => window.published.signer.getAuthDetails())
  expect(details).toMatchObject({ address: user.address })
  await expectSigner(asking, user.address)

  await asking.bringToFront()
  const ids = await asking.evaluate(() => window.published.signer.addPasskey())
  expect(ids).toHaveLength(1)
  // The first passkey right after the sign-up waits for no mail; all that follows does.
  const shown = asking.evaluate(() =>
    window.published.signer.exportWallet({ iframeContainerId: 'alchemy-signer-export' }),
  )
  await confirmByMail(email)
  expect(await shown).toBe(true)
  const second = asking.evaluate(() => window.published.signer.addPasskey())
  await confirmByMail(email, 1)
  expect(await second).toHaveLength(1)

  // Signed out and in again by the passkey, which any tab of the profile finds by itself.
  await asking.evaluate(() => window.published.signer.disconnect())
  const again = await asking.evaluate(() => window.published.signer.authenticate({ type: 'passkey', createNew: false }))
  expect(again).toMatchObject({ orgId: user.orgId, address: user.address })
  await expectSigner(asking, user.address)
})

test('default: sign-up by passkey, a reload, sign-in, and the private key', async () => {
  const page = await open()
  await addAuthenticator(page)
  const user = await page.evaluate(() =>
    window.published.signer.authenticate({ type: 'passkey', createNew: true, username: 'somebody' }),
  )
  await expectSigner(page, user.address)
  await page.reload()
  await page.waitForFunction(() => window.published?.signer !== undefined)
  const restored = await page.evaluate(() => window.published.signer.getAuthDetails())
  expect(restored).toMatchObject({ orgId: user.orgId, address: user.address })
  await page.evaluate(() => window.published.signer.disconnect().catch(() => undefined))
  const again = await page.evaluate(() => window.published.signer.authenticate({ type: 'passkey', createNew: false }))
  expect(again).toMatchObject({ orgId: user.orgId, userId: user.userId, address: user.address })
  const shown = await page.evaluate(() =>
    window.published.signer.exportWallet({ iframeContainerId: 'alchemy-signer-export' }),
  )
  expect(shown).toBe(true)
})

test('behavior: the latest WebauthnStamper and TurnkeyClient, straight to custody', async () => {
  const page = await open()
  await addAuthenticator(page)
  const user = await page.evaluate(() =>
    window.published.signer.authenticate({ type: 'passkey', createNew: true, username: 'somebody' }),
  )
  const answers = await page.evaluate(async ({ orgId, userId, address }) => {
    const { TurnkeyClient, WebauthnStamper, getWebAuthnAttestation } = window.published
    const stamper = new WebauthnStamper({ rpId: location.hostname })
    const client = new TurnkeyClient({ baseUrl: 'https://api.turnkey.com' }, stamper)
    const activity = <type extends string>(type: type) => ({
      type,
      timestampMs: String(Date.now()),
      organizationId: orgId,
    })
    const whoami = await client.getWhoami({ organizationId: orgId })
    const challenge = crypto.getRandomValues(new Uint8Array(32))
    const attestation = await getWebAuthnAttestation({
      publicKey: {
        challenge,
        rp: { id: location.hostname, name: 'Test' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        user: { id: crypto.getRandomValues(new Uint8Array(16)), name: 'second', displayName: 'second' },
        authenticatorSelection: { userVerification: 'required' },
      },
    })
    const text = btoa(String.fromCharCode(...challenge))
    const added = await client.createAuthenticators({
      ...activity('ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2'),
      parameters: {
        userId,
        authenticators: [
          {
            authenticatorName: 'second',
            attestation,
            challenge: text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
          },
        ],
      },
    } as never)
    const signed = await client.signRawPayload({
      ...activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'),
      parameters: {
        signWith: address,
        payload: 'hello',
        encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
        hashFunction: 'HASH_FUNCTION_KECCAK256',
      },
    })
    return { whoami, statuses: [added.activity.status, signed.activity.status] }
  }, user)
  expect(answers.whoami).toMatchObject({ organizationId: user.orgId, userId: user.userId })
  expect(answers.statuses).toEqual(['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_COMPLETED'])
})

test('error: what the server says is what the page is told', async () => {
  const page = await open()
  const told = await page.evaluate(() =>
    window.published.signer.authenticate({ type: 'email', email: 'no mail' }).then(String, String),
  )
  expect(told).toBe('Error: {"code":"INVALID_EMAIL","message":"Must provide a valid email."}')
})

/** The app's next version, whose imports are ours, at the same origin. */
async function openMoved(): Promise<Page> {
  return open(`${testOrigin}/moved`)
}

/** Who is signed in, once the page has found out. */
async function readDetails(page: Page) {
  await expect.poll(() => page.evaluate(() => window.published.statuses)).toContain('CONNECTED')
  return page.evaluate(async () => {
    const { orgId, address, email } = await window.published.signer.getAuthDetails()
    return { orgId, address, email }
  })
}

test('behavior: who signed in by passkey stays signed in, in both directions', async () => {
  for (const [first, second] of [
    [open, openMoved],
    [openMoved, open],
  ] as const) {
    const page = await first()
    await addAuthenticator(page)
    const { orgId, address } = await page.evaluate(() =>
      window.published.signer.authenticate({ type: 'passkey', createNew: true, username: 'somebody' }),
    )
    const next = await second()
    expect(await readDetails(next)).toMatchObject({ orgId, address })
    await next.evaluate(() => window.published.signer.disconnect())
    await Promise.all([page.close(), next.close()])
  }
})
