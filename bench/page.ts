import { launchBrowser, startTestWorld } from 'latchkey-dev/testing'
import type { Browser } from 'playwright-core'
import { median } from './median.ts'
import type { Measure } from './types.ts'

const runs = 5
/** A phone at the edge of its network. */
const slowLine = { offline: false, latency: 600, downloadThroughput: 60 * 1024, uploadThroughput: 60 * 1024 }

/** The example wallet on a slow line with an empty cache: first paint, and a 'Sign in' that can be pressed. Medians. */
export const measure: Measure = async ({ log }) => {
  const world = await startTestWorld()
  const browser = await launchBrowser()
  try {
    const visits: Visit[] = []
    for (let run = 1; run <= runs; run++) {
      log(`${run} of ${runs} …`)
      visits.push(await visit(browser, world.urls.wallet))
    }
    return [
      {
        name: 'wallet/slow-line/first-paint-ms',
        value: Math.round(median(visits.map(({ paintMs }) => paintMs))),
        unit: 'ms',
      },
      {
        name: 'wallet/slow-line/usable-ms',
        value: Math.round(median(visits.map(({ usableMs }) => usableMs))),
        unit: 'ms',
      },
    ]
  } finally {
    await browser.close()
    await world.close()
  }
}

type Visit = { paintMs: number; usableMs: number }

async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  try {
    const page = await context.newPage()
    const devTools = await context.newCDPSession(page)
    await devTools.send('Network.enable')
    await devTools.send('Network.emulateNetworkConditions', slowLine)
    await page.goto(url, { waitUntil: 'commit' })
    await page.locator('main button:enabled').waitFor()
    return await page.evaluate(() => {
      const [paint] = performance.getEntriesByName('first-contentful-paint')
      return { paintMs: paint?.startTime ?? Number.NaN, usableMs: performance.now() }
    })
  } finally {
    await context.close()
  }
}
