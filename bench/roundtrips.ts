import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { measureCosigning } from './cosigning.ts'
import { median } from './median.ts'
import type { Measure, Result } from './types.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** The published client knows public chains only: the devnet runs with Sepolia's id. */
const chainId = 11_155_111
/** Number of rounds: each client runs in each position equally often. */
const rounds = 6
/**
 * Pause until chain, bundler and gateway have finished the work of a block, which would slow down the next measurement.
 */
const quietMs = 3_000
const names = ['latchkey', 'aa-alchemy', 'account-kit-infra'] as const
type Name = (typeof names)[number]
/** Each client's page, with the folder that contains its packages. */
const clients: Readonly<Record<Name, { folder: string; entry: string }>> = {
  latchkey: { folder: root, entry: `${root}bench/dist/sendPage.js` },
  'aa-alchemy': { folder: `${root}compat/published`, entry: `${root}compat/published/sendPage.ts` },
  'account-kit-infra': { folder: `${root}compat/published/infra`, entry: `${root}compat/published/infra/sendPage.ts` },
}

/** Times that the page reports for one send, in milliseconds. */
type Sent = { accepted: number; included: number }
type Traffic = { requests: number; preflights: number; bytes: number; sequential: number }
/** `traffic`: requests until the operation was accepted. */
type Send = { sent: Sent; traffic: Traffic; toIncluded: Traffic }
/** Time and traffic from the navigation until the page defines `send`. */
type Opening = { ms: number; traffic: Traffic }
type Sends = { openings: Opening[]; cold: Send[]; warm: Send[] }
type Tap = Awaited<ReturnType<typeof startTap>>

/**
 * Measures a sponsored send in Chromium: requests, sequential requests, bytes in both directions, and milliseconds from
 * the click to accepted and to included. Preflights are counted separately. The published `@alchemy/aa-alchemy` and
 * `@account-kit/infra` do the same in the same run on the same gateway; the order rotates. Returns medians. All clients
 * sign with a key in the page; with the embedded signer, each needs one more request for the signature.
 *
 * - `opened`: what a page loads before it can send.
 * - Cold: a page's first send in a new browser profile, which deploys the account.
 * - Warm: the page's third send, when every client knows that the account is deployed.
 * - `fresh-gateway`: the first send of a newly started gateway, whose code has never run.
 * - `after-gas`: see `measureCosigning`.
 */
export const measure: Measure = async ({ log }) => {
  const scripts: Partial<Record<string, string>> = {}
  const pages = await startPages((name) => scripts[name])
  // The gateway treats the page's origin like an app's.
  const devnet = await startTestDevnet({ example: false, chainId, appUrls: [pages.url] })
  const tap = await startTap(devnet.urls.gateway)
  const browser = await launchBrowser()
  try {
    for (const name of names) {
      log(`${name}: building the page …`)
      scripts[name] = await buildPage(name)
    }
    const settings = new URLSearchParams({ rpcUrl: `${tap.url}/v2/${devnet.apiKey}`, policyId: devnet.policyId })
    const visit = (name: Name, all: Sends) => measureVisit(browser, `${pages.url}/${name}?${settings}`, tap, all)
    const first = emptySends()
    log('the first send of the gateway …')
    await visit('latchkey', first)
    // Also warms up the server for the first request of each kind.
    for (const name of names) await visit(name, emptySends())
    const all = { latchkey: emptySends(), 'aa-alchemy': emptySends(), 'account-kit-infra': emptySends() }
    for (let round = 0; round < rounds; round++)
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(round + turn) % names.length] as Name
        log(`${name}: ${round + 1} of ${rounds} …`)
        await visit(name, all[name])
      }
    const fresh = {
      name: 'fresh-gateway/sponsored-send/ms',
      value: middle(first.cold, ({ sent }) => sent.accepted),
      unit: 'ms',
    }
    log('owner and paymaster at the same time …')
    const cosigning = await measureCosigning(devnet)
    return [fresh, ...names.flatMap((name) => summarize(name, all[name])), ...cosigning]
  } finally {
    await browser.close()
    await tap.close()
    await devnet.close()
    await pages.close()
  }
}

const emptySends = (): Sends => ({ openings: [], cold: [], warm: [] })

/** Uses a new browser profile without connections, preflights or compiled code of other pages. */
async function measureVisit(browser: Browser, url: string, tap: Tap, all: Sends): Promise<void> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    tap.take()
    await page.goto(url)
    await page.waitForFunction('window.send !== undefined', undefined, { polling: 1 })
    // `readyAt` is measured from the start of the navigation.
    all.openings.push({ ms: await page.evaluate<number>('window.readyAt'), traffic: tap.takeNow() })
    all.cold.push(await measureSend(page, tap))
    await measureSend(page, tap)
    all.warm.push(await measureSend(page, tap))
  } finally {
    await context.close()
  }
}

async function measureSend(page: Page, tap: Tap): Promise<Send> {
  await page.waitForTimeout(quietMs)
  tap.take()
  await page.evaluate('window.accepted = undefined')
  const sending = page.evaluate<Sent>('window.send()')
  await page.waitForFunction('window.accepted !== undefined', undefined, { polling: 1 })
  const traffic = tap.takeAtAccepted()
  const sent = await sending
  return { sent, traffic, toIncluded: tap.takeNow() }
}

function summarize(name: Name, { openings, cold, warm }: Sends): Result[] {
  return [
    { name: `${name}/opened/requests`, value: middle(openings, ({ traffic }) => traffic.requests), unit: '' },
    { name: `${name}/opened/preflights`, value: middle(openings, ({ traffic }) => traffic.preflights), unit: '' },
    { name: `${name}/opened/ms`, value: middle(openings, ({ ms }) => ms), unit: 'ms' },
    ...summarizeSends(`${name}/sponsored-send/cold`, cold),
    ...summarizeSends(`${name}/sponsored-send`, warm),
  ]
}

function summarizeSends(prefix: string, all: readonly Send[]): Result[] {
  return [
    { name: `${prefix}/sequential`, value: middle(all, ({ traffic }) => traffic.sequential), unit: '' },
    { name: `${prefix}/requests`, value: middle(all, ({ traffic }) => traffic.requests), unit: '' },
    { name: `${prefix}/preflights`, value: middle(all, ({ traffic }) => traffic.preflights), unit: '' },
    { name: `${prefix}/bytes`, value: middle(all, ({ traffic }) => traffic.bytes), unit: 'bytes' },
    { name: `${prefix}/ms`, value: middle(all, ({ sent }) => sent.accepted), unit: 'ms' },
    { name: `${prefix}/included-sequential`, value: middle(all, ({ toIncluded }) => toIncluded.sequential), unit: '' },
    { name: `${prefix}/included-requests`, value: middle(all, ({ toIncluded }) => toIncluded.requests), unit: '' },
    { name: `${prefix}/included-bytes`, value: middle(all, ({ toIncluded }) => toIncluded.bytes), unit: 'bytes' },
    { name: `${prefix}/included-ms`, value: middle(all, ({ sent }) => sent.included), unit: 'ms' },
  ]
}

function middle<one>(all: readonly one[], read: (one: one) => number): number {
  return Math.round(median(all.map(read)))
}

async function buildPage(name: Name): Promise<string> {
  const { folder, entry } = clients[name]
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        output: { codeSplitting: false },
      },
    },
  })
  const [first] = [built].flat()
  if (!first || !('output' in first)) throw new TypeError(`The page of ${name} was not built.`)
  return first.output[0].code
}

/** Serves pages by the name in their path, on a separate origin. */
async function startPages(script: (name: string) => string | undefined) {
  const pages = createServer((incoming, outgoing) => {
    const name = new URL(incoming.url ?? '/', 'http://page').pathname.slice(1)
    const code = (script(name) ?? '').replaceAll('</script', '<\\/script')
    outgoing.setHeader('Content-Type', 'text/html; charset=utf-8')
    outgoing.end(`<!doctype html><link rel="icon" href="data:,"><script type="module">${code}</script>`)
  })
  return { url: await listen(pages), close: () => close(pages) }
}

async function startTap(gateway: string) {
  const fresh = (): Traffic => ({ requests: 0, preflights: 0, bytes: 0, sequential: 0 })
  let now = fresh()
  let accepted: Traffic | undefined
  const tap = createServer((incoming, outgoing) => {
    const own = now
    const isPreflight = incoming.method === 'OPTIONS'
    const depth = own.sequential + 1
    if (isPreflight) own.preflights++
    else own.requests++
    const { hostname, port } = new URL(gateway)
    const { method, headers, url: path } = incoming
    const forwarded = request({ hostname, port, path, method, headers: { ...headers, host: `${hostname}:${port}` } })
    forwarded.on('response', (reply: IncomingMessage) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      count(reply, own)
      reply.on('end', () => {
        if (isPreflight) return
        own.sequential = Math.max(own.sequential, depth)
        if (isSend(incoming)) accepted = { ...own }
      })
      reply.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    count(incoming, own)
    incoming.pipe(forwarded)
  })
  const url = await listen(tap)
  return {
    url,
    take() {
      now = fresh()
      accepted = undefined
    },
    takeAtAccepted: () => accepted ?? now,
    takeNow: () => ({ ...now }),
    close: () => close(tap),
  }
}

const sends = new WeakSet<IncomingMessage>()
const isSend = (incoming: IncomingMessage): boolean => sends.has(incoming)

function count(message: IncomingMessage, traffic: Traffic): void {
  message.on('data', (chunk: Buffer) => {
    traffic.bytes += chunk.length
    if (chunk.includes('eth_sendUserOperation')) sends.add(message)
  })
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
