import type { Devnet } from 'latchkey-dev'
import type { BrowserContext } from 'playwright-core'

/**
 * Shows another server's page at the wallet's address, which the devnet accepts as an app, and keeps its `config.json`.
 */
export async function serveAtWallet(context: BrowserContext, { urls }: Pick<Devnet, 'urls'>, pageUrl: string) {
  await context.route(
    ({ origin, pathname }) => origin === urls.wallet && pathname !== '/config.json',
    (route) => route.continue({ url: route.request().url().replace(urls.wallet, pageUrl) }),
  )
}
