import { readFile } from 'node:fs/promises'
import { buildScript } from '@latchkey/testkit/buildScript'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { devClientId, providerApp } from '../../packages/dev/src/provider/providerApp.ts'
import { listen } from '../../packages/server/src/platform/http/listen.ts'
import { type HooksBrowser, openHooksBrowser } from '../published/hooksJourneys.ts'
import { type Stage, startStage } from '../published/startStage.ts'

// Signs in with the published hooks of Account Kit 4.88.5 and an identity provider in the shape of Google's.

const publishedCallbackUrl = 'https://api.g.alchemy.com/signer/v1/oauth-callback'
let provider: Awaited<ReturnType<typeof startProvider>>
let stage: Stage

/** Starts an identity provider at which any name signs in. Its address is known only once it listens. */
async function startProvider() {
  let app: ReturnType<typeof providerApp> | undefined
  const server = await listen((request) => app?.fetch(request) ?? new Response(null, { status: 503 }), { port: 0 })
  app = providerApp({ issuer: server.url, callbackUrl: publishedCallbackUrl })
  return server
}

beforeAll(async () => {
  provider = await startProvider()
  const reflect = await readFile(new URL('./node_modules/reflect-metadata/Reflect.js', import.meta.url), 'utf8')
  const script = await buildScript(new URL('./hooks.ts', import.meta.url), {
    define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'globalThis' },
  })
  stage = await startStage({
    scripts: [reflect, script],
    chainHost: 'eth-sepolia.g.alchemy.com',
    chainId: 11155111,
    project: {
      oidcProviders: [
        {
          id: 'google',
          issuer: provider.url,
          audiences: [devClientId],
          algorithms: ['ES256'],
          jwksUrl: `${provider.url}/jwks`,
          provesEmail: true,
          network: 'private',
          client: {
            id: devClientId,
            authorizationUrl: `${provider.url}/authorize`,
            tokenUrl: `${provider.url}/token`,
            publishedCallbackUrl,
          },
        },
      ],
    },
  })
})
afterAll(() => Promise.all([stage?.close(), provider?.close()]))

let browser: HooksBrowser
beforeEach(async () => {
  browser = await openHooksBrowser(stage)
})
afterEach(() => browser?.close())

async function signInAtProvider(page: Page, name: string) {
  await page.getByRole('textbox').fill(name)
  await page.keyboard.press('Enter')
}

const connected = (page: Page) => page.waitForFunction(() => window.hooks?.status === 'CONNECTED' && window.hooks.user)
const readUser = (page: Page) => page.evaluate(() => window.hooks.user)

test('signs in by a window, and again by a redirect to the same account', async () => {
  const page = await browser.open(`${stage.appUrl}/?by-provider`)
  await page.waitForFunction(() => window.hooks?.status === 'DISCONNECTED')
  const opened = page.waitForEvent('popup')
  const signedIn = page.evaluate(async () => {
    const authenticate = () => window.hooks.authenticate({ type: 'oauth', authProviderId: 'google', mode: 'popup' })
    // Account Kit refuses until its own preparation, which nothing announces, is complete.
    for (let tries = 0; tries < 100; tries++) {
      const error = await authenticate().then(
        () => undefined,
        (cause: unknown) => String(cause),
      )
      if (!error?.includes('preparePopupOauth')) return error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return 'not prepared'
  })
  await signInAtProvider(await opened, 'ann')
  expect(await signedIn).toBeUndefined()
  await connected(page)
  const first = await readUser(page)
  expect(first?.email).toBe('ann@example.com')

  await page.evaluate(() => window.hooks.logout())
  await page.waitForFunction(() => window.hooks?.status === 'DISCONNECTED')
  const redirect = { type: 'oauth', authProviderId: 'google', mode: 'redirect', redirectUrl: '/' }
  await page.evaluate((parameters) => void window.hooks.authenticate(parameters).catch(() => {}), redirect)
  await page.waitForURL(`${provider.url}/**`)
  await signInAtProvider(page, 'ann')
  await page.waitForURL(`${stage.appUrl}/**`)
  await connected(page)
  expect((await readUser(page))?.address).toBe(first?.address)
  expect(page.url()).not.toContain('alchemy-bundle')
})
