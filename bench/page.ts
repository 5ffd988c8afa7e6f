import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchBrowser, startTestDevnet } from 'latchkey-dev/testing'
import type { Browser } from 'playwright-core'
import { median } from './median.ts'
import { buildPeers } from './peers.ts'
import { type Built, serveBuilt } from './serveBuilt.ts'
import type { Measure, Result } from './types.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const runs = 5
/** Number of page loads; each may take half a minute. */
const builtRuns = 3
const timeoutMs = 120_000
/** Network of a phone with a bad signal. */
const slowLine = { offline: false, latency: 600, downloadThroughput: 60 * 1024, uploadThroughput: 60 * 1024 }

/**
 * Measures the example wallet on a slow line with an empty cache: first paint, the time until 'Sign in' works, and the
 * files and kB (1000 bytes, as sent) loaded by then. Files and kB do not depend on the machine's load. Returns medians.
 * Also measures the smallest page with our button, and the same page of published wallets, without calling their
 * services. Includes only wallets that can be installed, built and compressed in the same way.
 */
export const measure: Measure = async ({ log }) => {
  const browser = await launchBrowser()
  try {
    const results = await measureWallet(browser, log)
    log('the smallest page …')
    const module: typeof import('../e2e/firstLoad.ts') = await import(join(root, 'e2e/dist/firstLoad.js'))
    const { built, html } = await module.buildSignInPage(root)
    results.push(...(await measureBuilt(browser, 'smallest', built, html)))
    for await (const { name, added, built } of buildPeers(log)) {
      try {
        results.push(...(await measureBuilt(browser, `peer/${name}${added}`, built)))
      } catch (error) {
        log(`${name} was left out: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`)
      }
    }
    return results
  } finally {
    await browser.close()
  }
}

async function measureBuilt(browser: Browser, name: string, built: Built, html?: string): Promise<Result[]> {
  const server = await serveBuilt(built, html)
  try {
    return toResults(name, await repeat(builtRuns, () => visit(browser, server.url, 'button:enabled')))
  } finally {
    server.close()
  }
}

async function measureWallet(browser: Browser, log: (line: string) => void): Promise<Result[]> {
  const devnet = await startTestDevnet()
  try {
    const visits = await repeat(runs, (run) => {
      log(`${run} of ${runs} …`)
      return visit(browser, devnet.urls.wallet, 'main button:enabled')
    })
    return toResults('wallet', visits)
  } finally {
    await devnet.close()
  }
}

async function repeat<T>(times: number, work: (run: number) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (let run = 1; run <= times; run++) done.push(await work(run))
  return done
}

function toResults(name: string, visits: readonly Visit[]): Result[] {
  const of = (figure: keyof Visit) => Math.round(median(visits.map((one) => one[figure])))
  return [
    { name: `${name}/slow-line/first-paint-ms`, value: of('paintMs'), unit: 'ms' },
    { name: `${name}/slow-line/usable-ms`, value: of('usableMs'), unit: 'ms' },
    { name: `${name}/slow-line/usable-files`, value: of('files'), unit: 'files' },
    { name: `${name}/slow-line/usable-kB`, value: of('kiloBytes'), unit: 'kB' },
  ]
}

type Visit = { paintMs: number; usableMs: number; files: number; kiloBytes: number }

/** `button`: the element that marks the page as usable. */
async function visit(browser: Browser, url: string, button: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  try {
    const page = await context.newPage()
    const devTools = await context.newCDPSession(page)
    await devTools.send('Network.enable')
    await devTools.send('Network.emulateNetworkConditions', slowLine)
    const sizes: number[] = []
    devTools.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))
    await page.goto(url, { waitUntil: 'commit', timeout: timeoutMs })
    await page.locator(button).first().waitFor({ timeout: timeoutMs })
    const usableAtMs = await page.evaluate(() => performance.now())
    const [files, kiloBytes] = [sizes.length, sizes.reduce((sum, size) => sum + size, 0) / 1000]
    // A page without static content first paints its button, which the browser reports one frame later.
    const paint = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
    return { paintMs: (await paint.jsonValue()) ?? Number.NaN, usableMs: usableAtMs, files, kiloBytes }
  } finally {
    await context.close()
  }
}
