import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { launchBrowser, startTestWorld } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import type { Measure, Result } from './types.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** The published client knows public chains only: the world runs with Sepolia's id. */
const chainId = 11_155_111
/** Beside the cold one: as many for each place in a round. */
const runs = 6
const names = ['latchkey', 'aa-alchemy', 'account-kit-infra'] as const
type Name = (typeof names)[number]
/** Each page with the folder from which its packages are taken. */
const clients: Readonly<Record<Name, { folder: string; entry: string }>> = {
  latchkey: { folder: root, entry: `${root}bench/dist/sendPage.js` },
  'aa-alchemy': { folder: `${root}e2e/published`, entry: `${root}e2e/published/sendPage.ts` },
  'account-kit-infra': { folder: `${root}e2e/published/infra`, entry: `${root}e2e/published/infra/sendPage.ts` },
}

/** What the page reports of one send, in milliseconds. */
type Sent = { accepted: number; included: number }
type Traffic = { requests: number; preflights: number; bytes: number; sequential: number }
/** `traffic`: until it was accepted. */
type Send = { cold: boolean; sent: Sent; traffic: Traffic; toIncluded: Traffic }

/**
 * A sponsored send in Chromium: requests, requests that wait for each other, bytes (bodies both ways) and milliseconds from
 * the click to accepted, and the same to included; preflights apart. Cold: the first send of a page, which deploys the
 * account. Warm: the median of those after it. The published `@alchemy/aa-alchemy` and `@account-kit/infra` do the same in the
 * same run on the same gateway, in turns. All sign by a key in the page: with the embedded signer each has one request more, the
 * signature.
 */
export const measure: Measure = async ({ log }) => {
  const scripts: Partial<Record<string, string>> = {}
  const pages = await startPages((name) => scripts[name])
  // The gateway serves the page's origin as it does an app's.
  const world = await startTestWorld({ example: false, chainId, appUrls: [pages.url] })
  const tap = await startTap(world.urls.gateway)
  const browser = await launchBrowser()
  try {
    const open: Page[] = []
    for (const name of names) {
      log(`${name}: building the page …`)
      scripts[name] = await buildPage(name)
      const page = await browser.newPage()
      const settings = { rpcUrl: `${tap.url}/v2/${world.apiKey}`, policyId: world.policyId }
      await page.goto(`${pages.url}/${name}?${new URLSearchParams(settings)}`)
      await page.waitForFunction('window.send !== undefined')
      open.push(page)
    }
    const all = names.map((): Send[] => [])
    for (let run = 0; run <= runs; run++)
      // Each is as often the first of a round: what they share grows warm with every send.
      for (let turn = 0; turn < names.length; turn++) {
        const index = (run + turn) % names.length
        log(`${names[index]}: send ${run + 1} of ${runs + 1} …`)
        all[index]?.push({ cold: run === 0, ...(await measureSend(open[index] as Page, tap)) })
      }
    const results = names.flatMap((name, index) =>
      [true, false].flatMap((cold) =>
        summarize(
          name,
          cold,
          (all[index] ?? []).filter((one) => one.cold === cold),
        ),
      ),
    )
    return results
  } finally {
    await browser.close()
    await tap.close()
    await world.close()
    await pages.close()
  }
}

async function measureSend(page: Page, tap: Awaited<ReturnType<typeof startTap>>): Promise<Omit<Send, 'cold'>> {
  // Timers of a page in the background are late.
  await page.bringToFront()
  tap.take()
  await page.evaluate('window.accepted = undefined')
  const sending = page.evaluate<Sent>('window.send()')
  await page.waitForFunction('window.accepted !== undefined', undefined, { polling: 1 })
  const traffic = tap.takeAtAccepted()
  const sent = await sending
  return { sent, traffic, toIncluded: tap.takeNow() }
}

function summarize(name: Name, cold: boolean, all: Send[]): Result[] {
  const prefix = `${name}/sponsored-send${cold ? '/cold' : ''}`
  const middle = (read: (one: Send) => number) => {
    const values = all.map(read).sort((left, right) => left - right)
    return Math.round(values[Math.floor(values.length / 2)] ?? 0)
  }
  return [
    { name: `${prefix}/sequential`, value: middle(({ traffic }) => traffic.sequential), unit: '' },
    { name: `${prefix}/requests`, value: middle(({ traffic }) => traffic.requests), unit: '' },
    { name: `${prefix}/preflights`, value: middle(({ traffic }) => traffic.preflights), unit: '' },
    { name: `${prefix}/bytes`, value: middle(({ traffic }) => traffic.bytes), unit: 'bytes' },
    { name: `${prefix}/ms`, value: middle(({ sent }) => sent.accepted), unit: 'ms' },
    { name: `${prefix}/included-sequential`, value: middle(({ toIncluded }) => toIncluded.sequential), unit: '' },
    { name: `${prefix}/included-requests`, value: middle(({ toIncluded }) => toIncluded.requests), unit: '' },
    { name: `${prefix}/included-bytes`, value: middle(({ toIncluded }) => toIncluded.bytes), unit: 'bytes' },
    { name: `${prefix}/included-ms`, value: middle(({ sent }) => sent.included), unit: 'ms' },
  ]
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

/** Pages by the name in their path, from an origin of their own. */
async function startPages(script: (name: string) => string | undefined) {
  const pages = createServer((incoming, outgoing) => {
    const name = new URL(incoming.url ?? '/', 'http://page').pathname.slice(1)
    const code = (script(name) ?? '').replaceAll('</script', '<\\/script')
    outgoing.setHeader('Content-Type', 'text/html; charset=utf-8')
    outgoing.end(`<!doctype html><link rel="icon" href="data:,"><script type="module">${code}</script>`)
  })
  return { url: await listen(pages), close: () => close(pages) }
}

/** Stands before the gateway and counts. */
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
