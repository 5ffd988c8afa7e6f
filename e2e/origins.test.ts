import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import type { World } from 'latchkey-dev'
import { launchBrowser, readSignInMail, startTestWorld, waitForMail } from 'latchkey-dev/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail } from './signUp.ts'
import { openWallet, walletPage } from './WalletPage.ts'

let registered: Listening
let stranger: Listening
/** The wallet without its rule against being embedded, and a page of another site that does. */
let wallet: Listening
let embedder: Listening
let world: World
let browser: Browser

/** A page on a port of its own, as an app under development is. */
const serve = (html: string) => listen((_, response) => response.setHeader('content-type', 'text/html').end(html))
const app = '<!doctype html><title>App</title><h1>App</h1>'
const urlOf = ({ url }: Listening): string => `${url}/`
const embedderUrl = (): string => urlOf(embedder).replace('localhost', '127.0.0.1')

beforeAll(async () => {
  registered = await serve(app)
  stranger = await serve(app)
  wallet = await listen(async (request, response) => {
    const answer = await fetch(new URL(request.url ?? '', world.urls.wallet))
    response.setHeader('content-type', answer.headers.get('content-type') ?? '')
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  embedder = await serve(
    `<!doctype html><title>Other site</title><iframe src="${urlOf(wallet)}" width="1000" height="900">`,
  )
  world = await startTestWorld({ appUrls: [urlOf(registered), urlOf(wallet), embedderUrl()] })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  await Promise.all([registered, stranger, wallet, embedder].map((server) => server?.close()))
})

async function openApp({ url }: Listening): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(url)
  return page
}

/** What the page may read of an answer, or that the browser kept it from the page. */
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
    { url, body, apiKey: world.apiKey },
  )
}

/** A page may open a WebSocket to anywhere, unless the other side minds its origin. */
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

/** Puts a frame on the page, and waits until the browser shows this in it. */
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
  // What a frame of another process shows is heard of later than its load.
  await expect.poll(() => page.frames().at(-1)?.url()).toMatch(shown)
}

const targetPublicKey =
  '04917b01cee808e4c75c64f3e09a9b09327c67b6772997bec68da953c9d584db73ee745892a489ab2f86d417a8c53fdb3b0e41ae6db19369dd7626dbafd89a337f'
const chainQuestion = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

test('default: a registered app calls, embeds the frames, and gets the link of its mail', async () => {
  const page = await openApp(registered)
  const email = newEmail('app')
  expect(await ask(page, `${world.urls.signerApi}/signer/v1/lookup`, { email })).toBe(200)
  expect(await ask(page, world.urls.gateway, chainQuestion)).toBe(200)
  expect(await ask(page, world.urls.node, chainQuestion)).toBe(200)
  for (const url of [world.urls.authFrame, world.urls.exportFrame]) await embed(page, url, new RegExp(`^${url}/$`))
  const signup = { email, targetPublicKey, expirationSeconds: 900 }
  expect(await ask(page, `${world.urls.signerApi}/signer/v1/signup`, signup)).toBe(200)
  const { links } = await waitForMail(world, email)
  expect(links.map((link) => new URL(link).origin)).toContain(new URL(registered.url).origin)
})

test('error: an app on another port of this machine is refused everywhere', async () => {
  const page = await openApp(stranger)
  const email = newEmail('stranger')
  for (const path of ['lookup', 'signup', 'auth']) {
    const body = { email, targetPublicKey, expirationSeconds: 900 }
    expect([path, await ask(page, `${world.urls.signerApi}/signer/v1/${path}`, body)]).toEqual([path, 'refused'])
  }
  expect(await ask(page, world.urls.gateway, chainQuestion)).toBe('refused')
  expect(await ask(page, `${world.urls.custody}/public/v1/query/whoami`, {})).toBe('refused')
  expect(await ask(page, world.urls.node, chainQuestion)).toBe('refused')
  expect(await openSocket(page, world.urls.node)).toBe('refused')
  expect(await ask(page, `${world.urls.inbox}/api/messages`, {})).toBe('refused')
  for (const url of [world.urls.authFrame, world.urls.exportFrame]) await embed(page, url, /^chrome-error:/)
  expect(world.messages({ to: email })).toEqual([])
})

test('behavior: embedded by another site, where the browser keeps nothing, the code signs in', async () => {
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  await page.goto(embedderUrl())
  const embedded = walletPage(page, page.frameLocator('iframe'))
  const email = newEmail('embedded')
  await embedded.askForMail(email)
  const { link, code = '' } = await readSignInMail(world, email, { linkTo: urlOf(wallet) })
  // The link opens outside of the frame.
  await (await openWallet(context, link)).elsewhere.waitFor()
  await page.bringToFront()
  await embedded.code.fill(code)
  await embedded.skip.click()
  await embedded.mint.click()
  await embedded.showsBalance('100.00 DEMO')
  await context.close()
})
