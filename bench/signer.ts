import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addAuthenticator, launchBrowser, readSignInMail, startTestDevnet } from 'latchkey-dev/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import type { Measure, Result } from './types.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const runs = 3

/** Signs a user in on a page and reports when it is done. */
const script = `
import { createSigner, latchkeyEndpoints } from 'latchkey/signer'
const { url, apiKey, sessionKind } = JSON.parse(document.getElementById('config').textContent)
const signer = createSigner({
  client: { connection: { apiKey }, endpoints: latchkeyEndpoints(url) },
  sessionConfig: { sessionKind },
})
window.signer = signer
window.connected = new Promise((resolve) => signer.on('connected', () => resolve(performance.now())))
`

type Signing = { signMessage(text: string): Promise<string>; authenticate(request: object): Promise<unknown> }
type Shown = { signer: Signing; connected: Promise<number> }
type Times = { ms: number; requests: number; preflights: number }

/**
 * Measures signing in: the milliseconds and service calls that a page needs until the e-mail or the provider's page, after
 * the return from it, after a reload and for a call of `signMessage`. The time includes loading documents and scripts, even those of frames; the number of
 * calls does not. A preflight counts as a round trip, although browsers cache it for a while. Returns the median of
 * three.
 */
export const measure: Measure = async ({ log }) => {
  const code = await bundle()
  const config: { url: string; apiKey: string; sessionKind?: string } = { url: '', apiKey: '' }
  const page = await serve(() => config, code)
  const origin = `http://localhost:${(page.address() as AddressInfo).port}`
  // With confirmations, starting a device session after email sign-in would wait for a click in an email.
  const devnet = await startTestDevnet({ example: false, appUrls: [`${origin}/`], confirmations: 'none' })
  const browser = await launchBrowser()
  try {
    Object.assign(config, { url: devnet.urls.signerApi, apiKey: devnet.apiKey })
    const results: Result[] = []
    const ways = {
      email: (context: BrowserContext) => byMail(context, origin, devnet),
      provider: (context: BrowserContext) => byProvider(context, origin, devnet),
      passkey: (context: BrowserContext) => byPasskey(context, origin),
      device: (context: BrowserContext) => byMail(context, origin, devnet),
    }
    for (const [kind, way] of Object.entries(ways)) {
      if (kind === 'device') config.sessionKind = 'device'
      const rows: Record<string, Times>[] = []
      for (let run = 1; run <= runs; run++) {
        log(`${kind}, ${run} of ${runs} …`)
        const context = await browser.newContext()
        rows.push(await way(context))
        await context.close()
      }
      results.push(...summary(kind, rows))
    }
    return results
  } finally {
    await browser.close()
    await devnet.close()
    page.close()
  }
}

async function byMail(context: BrowserContext, origin: string, devnet: { urls: { inbox: string } }) {
  const asking = await context.newPage()
  await asking.goto(origin)
  const count = await counter(asking)
  const began = performance.now()
  const email = `bench-${crypto.randomUUID()}@example.com`
  await asking.evaluate((address) => {
    const { signer } = globalThis as unknown as Shown
    signer.authenticate({ type: 'email', email: address })
  }, email)
  const { link } = await readSignInMail(devnet, email, { linkTo: origin })
  const ask = { ms: performance.now() - began, ...count() }
  const tab = await context.newPage()
  const signIn = await untilConnected(tab, () => tab.goto(link))
  const restore = await untilConnected(tab, () => tab.reload())
  return { ask, 'sign-in': signIn, restore, signature: await sign(tab) }
}

/** Signs in by a redirect. `ask` ends at the provider's page, `sign-in` begins with the return to the app. */
async function byProvider(context: BrowserContext, origin: string, devnet: { urls: { provider: string } }) {
  const tab = await context.newPage()
  await tab.goto(origin)
  const count = await counter(tab)
  const began = performance.now()
  await tab.evaluate(() => {
    const { signer } = globalThis as unknown as Shown
    signer.authenticate({ type: 'oauth', provider: 'dev', mode: 'redirect' }).catch(() => {})
  })
  await tab.waitForURL(`${devnet.urls.provider}/**`)
  const ask = { ms: performance.now() - began, ...count() }
  const signIn = await untilConnected(tab, async () => {
    await tab.getByRole('textbox').fill(`bench-${crypto.randomUUID()}`)
    await tab.keyboard.press('Enter')
    await tab.waitForURL(`${origin}/**`)
  })
  const restore = await untilConnected(tab, () => tab.reload())
  return { ask, 'sign-in': signIn, restore, signature: await sign(tab) }
}

async function byPasskey(context: BrowserContext, origin: string) {
  const tab = await context.newPage()
  await tab.goto(origin)
  await addAuthenticator(tab)
  await tab.evaluate(async () => {
    const { signer } = globalThis as unknown as Shown
    await signer.authenticate({ type: 'passkey', createNew: true, username: 'bench' })
  })
  const restore = await untilConnected(tab, () => tab.reload())
  return { restore, signature: await sign(tab) }
}

/** Milliseconds since the start of the navigation. */
async function untilConnected(tab: Page, go: () => Promise<unknown>): Promise<Times> {
  const count = await counter(tab)
  await go()
  const ms = await tab.evaluate(() => (globalThis as unknown as Shown).connected)
  return { ms, ...count() }
}

async function sign(tab: Page): Promise<Times> {
  const count = await counter(tab)
  const ms = await tab.evaluate(async () => {
    const began = performance.now()
    await (globalThis as unknown as Shown).signer.signMessage('hello')
    return performance.now() - began
  })
  return { ms, ...count() }
}

/** Counts the page's calls to services and the preflights of cross-origin ones. */
async function counter(tab: Page): Promise<() => Omit<Times, 'ms'>> {
  const count = { requests: 0, preflights: 0 }
  const cdp = await tab.context().newCDPSession(tab)
  cdp.on('Network.requestWillBeSent', ({ type, request }) => {
    if (request.method === 'OPTIONS') count.preflights += 1
    else if (type === 'Fetch') count.requests += 1
  })
  await cdp.send('Network.enable')
  // The session stays attached, since detaching it removes the tab's virtual authenticator.
  return () => ({ ...count })
}

function summary(kind: string, rows: Record<string, Times>[]): Result[] {
  return Object.keys(rows[0] ?? {}).flatMap((step) => {
    const median = (of: keyof Times) => rows.map((row) => row[step]?.[of] ?? 0).sort((a, b) => a - b)[1] ?? 0
    return [
      { name: `${kind}/${step}/ms`, value: Math.round(median('ms')), unit: 'ms' },
      { name: `${kind}/${step}/requests`, value: median('requests'), unit: '' },
      { name: `${kind}/${step}/preflights`, value: median('preflights'), unit: '' },
    ]
  })
}

async function bundle(): Promise<string> {
  const entry = join(root, 'bench-signer-entry.js')
  const output = (await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        enforce: 'pre',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? script : null),
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: entry, output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput
  return output.output[0].code
}

async function serve(config: () => object, code: string): Promise<Server> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    const html = `<!doctype html><title>Bench</title><link rel="icon" href="data:,">
<script type="application/json" id="config">${JSON.stringify(config())}</script>
<script type="module" src="/page.js"></script>`
    response.end(isScript ? code : html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
