import type { Page } from 'playwright-core'

/**
 * Waits until the page has the response to its request for a mail. The mail may arrive earlier, and its link would then
 * match no request.
 */
export async function untilAwaited(asking: Page): Promise<void> {
  await asking.waitForFunction(() => Object.keys(localStorage).some((key) => key.endsWith(':temporary')))
}
