import type { Devnet } from 'latchkey-dev'
import type { BrowserContext } from 'playwright-core'

/**
 * Serves another server's page at the wallet's origin, which the devnet allows. `config.json` is still the wallet's.
 */
export async function serveAtWallet(context: BrowserContext, { urls }: Pick<Devnet, 'urls'>, pageUrl: string) {
  await context.route(
    ({ origin, pathname }) => origin === urls.wallet && pathname !== '/config.json',
    (route) => route.continue({ url: route.request().url().replace(urls.wallet, pageUrl) }),
  )
}
