import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { waitForMail } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { serveAtWallet } from './serveAtWallet.ts'
import { newEmail } from './signUp.ts'

const stage = setStage()
let stranger: Listening

beforeAll(async () => {
  const app = '<!doctype html><title>App</title><h1>App</h1>'
  stranger = await listen((_, response) => response.setHeader('content-type', 'text/html').end(app))
})
afterAll(() => stranger?.close())

async function openApp(who: 'registered' | 'stranger'): Promise<Page> {
  const context = await stage.newContext()
  if (who === 'registered') await serveAtWallet(context, stage.devnet, stranger.url)
  const page = await context.newPage()
  await page.goto(who === 'registered' ? stage.devnet.urls.wallet : stranger.url)
  return page
}

function ask(page: Page, url: string, body: object): Promise<number | 'refused'> {
  return page.evaluate(
    ({ url, body, apiKey }) =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then(
        (response) => response.status,
        () => 'refused' as const,
      ),
    { url, body, apiKey: stage.devnet.apiKey },
  )
}

/** Browsers let a page open any WebSocket, so the server must check the origin. */
function openSocket(page: Page, url: string): Promise<'open' | 'refused'> {
  return page.evaluate(
    (address) =>
      new Promise((resolve) => {
        const socket = new WebSocket(address)
        socket.addEventListener('open', () => resolve('open'))
        socket.addEventListener('error', () => resolve('refused'))
      }),
    url.replace(/^http/, 'ws'),
  )
}

async function embed(page: Page, url: string, shown: RegExp): Promise<void> {
  await page.evaluate(
    (src) =>
      new Promise<void>((resolve) => {
        const frame = Object.assign(document.createElement('iframe'), { src })
        frame.addEventListener('load', () => resolve())
        document.body.replaceChildren(frame)
      }),
    url,
  )
  // The browser reports a cross-process frame's content after its load event.
  await expect.poll(() => page.frames().at(-1)?.url()).toMatch(shown)
}

const targetPublicKey =
  '04917b01cee808e4c75c64f3e09a9b09327c67b6772997bec68da953c9d584db73ee745892a489ab2f86d417a8c53fdb3b0e41ae6db19369dd7626dbafd89a337f'
const chainQuestion = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

test('lets a registered app call, embed the frames and get links by mail', async () => {
  const { devnet } = stage
  const page = await openApp('registered')
  const email = newEmail('app')
  expect(await ask(page, `${devnet.urls.signerApi}/signer/v1/lookup`, { email })).toBe(200)
  expect(await ask(page, devnet.urls.gateway, chainQuestion)).toBe(200)
  expect(await ask(page, devnet.urls.node, chainQuestion)).toBe(200)
  for (const url of [devnet.urls.authFrame, devnet.urls.exportFrame]) await embed(page, url, new RegExp(`^${url}/$`))
  const signup = { email, targetPublicKey, expirationSeconds: 900 }
  expect(await ask(page, `${devnet.urls.signerApi}/signer/v1/signup`, signup)).toBe(200)
  const { links } = await waitForMail(devnet, email)
  expect(links.map((link) => new URL(link).origin)).toContain(devnet.urls.wallet)
})

test('refuses an app on another port everywhere', async () => {
  const { devnet } = stage
  const page = await openApp('stranger')
  const email = newEmail('stranger')
  for (const path of ['lookup', 'signup', 'auth']) {
    const body = { email, targetPublicKey, expirationSeconds: 900 }
    expect([path, await ask(page, `${devnet.urls.signerApi}/signer/v1/${path}`, body)]).toEqual([path, 'refused'])
  }
  expect(await ask(page, devnet.urls.gateway, chainQuestion)).toBe('refused')
  expect(await ask(page, `${devnet.urls.custody}/public/v1/query/whoami`, {})).toBe('refused')
  expect(await ask(page, devnet.urls.node, chainQuestion)).toBe('refused')
  expect(await openSocket(page, devnet.urls.node)).toBe('refused')
  expect(await ask(page, `${devnet.urls.inbox}/api/messages`, {})).toBe('refused')
  for (const url of [devnet.urls.authFrame, devnet.urls.exportFrame]) await embed(page, url, /^chrome-error:/)
  expect(devnet.messages({ to: email })).toEqual([])
})
