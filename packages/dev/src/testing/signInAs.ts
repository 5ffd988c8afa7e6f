import type { BrowserContext } from 'playwright-core'
import { DevError } from '../errors.ts'

/**
 * Signs a person in at the devnet's identity provider. Finds the provider's page in the browser context, for example in
 * a window that a click has just opened.
 *
 * @throws `TIMEOUT`
 *
 * @example
 * ```ts
 * import { signInAs, startTestDevnet } from 'latchkey-dev/testing'
 * import { chromium } from 'playwright-core'
 *
 * const devnet = await startTestDevnet()
 * const context = await (await chromium.launch()).newContext()
 * // After a click on the provider's button in a page of `context`:
 * await signInAs({ context, devnet }, 'ann')
 * ```
 */
export async function signInAs(
  { context, devnet }: { context: BrowserContext; devnet: { urls: { provider: string } } },
  name: string,
  { timeoutMs = 30_000 }: { timeoutMs?: number | undefined } = {},
): Promise<void> {
  const isShown = (url: string) => url.startsWith(`${devnet.urls.provider}/authorize`)
  const endsAt = performance.now() + timeoutMs
  while (performance.now() < endsAt) {
    const shown = context.pages().find((page) => isShown(page.url()))
    if (!shown) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    await shown.getByLabel('Name or email address').fill(name)
    await shown.getByRole('button', { name: 'Sign in' }).click()
    return
  }
  throw new DevError('No page shows the identity provider.', { code: 'TIMEOUT' })
}
