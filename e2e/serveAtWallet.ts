import type { World } from 'latchkey-dev'
import type { BrowserContext } from 'playwright-core'

/** Shows the page of another server at the wallet's address, which the world knows as an app, beside its `config.json`. */
export async function serveAtWallet(context: BrowserContext, { urls }: Pick<World, 'urls'>, pageUrl: string) {
  await context.route(
    ({ origin, pathname }) => origin === urls.wallet && pathname !== '/config.json',
    (route) => route.continue({ url: route.request().url().replace(urls.wallet, pageUrl) }),
  )
}
