import { rm } from 'node:fs/promises'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { startFrame } from '@latchkey/testkit/signer/startFrame'
import { startTestSignerApi, type TestSignerApi, testOrigin } from '@latchkey/testkit/signerApi'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { addAuthenticator } from '../../packages/dev/src/testing/addAuthenticator.ts'
import { buildPage } from './buildPage.ts'
import { forwardTo } from './forwardTo.ts'
import { openProfile } from './openProfile.ts'

// Runs the published signer of `@alchemy/aa-alchemy` 3.14.1 in a browser. Its hosts resolve to Latchkey's server and
// frames.

let devnet: TestSignerApi
let frames: { auth: Listening; exporting: Listening }
let context: BrowserContext
let profile: string
let scripts: Record<'published' | 'moved', string>
beforeAll(async () => {
  devnet = await startTestSignerApi({ project: { confirmations: 'mail', exportsTo: 'frame', importsTo: 'frame' } })
  scripts = { published: await buildPage(), moved: await buildPage({ moved: true }) }
  frames = {
    auth: await startFrame(() => testOrigin),
    exporting: await startFrame(() => testOrigin, undefined, {
      page: 'export',
      bundleSigningKey: () => devnet.custody.bundleSigner,
    }),
  }
})
afterAll(async () => {
  await Promise.all([frames?.auth.close(), frames?.exporting.close()])
  await devnet?.close()
})
beforeEach(async () => {
  ;({ profile, context } = await openProfile())
  // No timeout for single steps, because the machine may be busy. The test's own timeout applies.
  context.setDefaultTimeout(0)
  await context.route(`${testOrigin}/**`, servePage)
  await context.route(
    'https://api.turnkey.com/**',
    forwardTo((request) => devnet.custody.app.fetch(request)),
  )
  await context.route(
    'https://api.g.alchemy.com/**',
    forwardTo((request) => devnet.app.fetch(request)),
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
  // Requests may still be pending, and the browser may still be writing its profile.
  await context?.unrouteAll({ behavior: 'ignoreErrors' })
  await context?.close()
  await rm(profile, { recursive: true, force: true, maxRetries: 10 })
})

function servePage(route: Route): Promise<void> {
  const { pathname } = new URL(route.request().url())
  const name = pathname.startsWith('/moved') ? 'moved' : 'published'
  if (pathname.endsWith('.js')) return route.fulfill({ contentType: 'text/javascript', body: scripts[name] })
  const config = JSON.stringify({ rootOrgId: devnet.custody.rootOrganizationId })
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

test('serves the latest WebauthnStamper and TurnkeyClient directly from custody', async () => {
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

async function openMoved(): Promise<Page> {
  return open(`${testOrigin}/moved`)
}

async function readDetails(page: Page) {
  await expect.poll(() => page.evaluate(() => window.published.statuses)).toContain('CONNECTED')
  return page.evaluate(async () => {
    const { orgId, address, email } = await window.published.signer.getAuthDetails()
    return { orgId, address, email }
  })
}

test('keeps a passkey session while an app moves to our client and back', async () => {
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
