import type { Browser, BrowserContext } from 'playwright-core'
import { emptyPath } from './startPage.ts'

export type Profile = {
  readonly context: BrowserContext
  /** Closes every tab and deletes what these origins stored. */
  renew(origins: readonly string[]): Promise<void>
}

/**
 * A browser profile for the tests of a file, made new between them: another profile's processes would have to start,
 * which takes most of the time of a short test. `pageUrl`: the site whose process an empty tab keeps.
 */
export async function startProfile(browser: Browser, pageUrl: string): Promise<Profile> {
  const context = await browser.newContext()
  const kept = await context.newPage()
  await kept.goto(`${pageUrl}${emptyPath}`)
  const cdp = await context.newCDPSession(kept)
  return {
    context,
    async renew(origins) {
      await Promise.all(context.pages().map((page) => (page === kept ? undefined : page.close())))
      for (const url of origins) {
        const { origin } = new URL(url)
        await cdp.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
      }
    },
  }
}
