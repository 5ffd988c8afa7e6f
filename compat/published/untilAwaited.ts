import type { Page } from 'playwright-core'

/**
 * Waits until a page with a published client has the response to its request for a mail. The mail may come before that,
 * and a link opened then finds no request that it belongs to.
 */
export async function untilAwaited(asking: Page): Promise<void> {
  await asking.waitForFunction(() => Object.keys(localStorage).some((key) => key.endsWith(':temporary')))
}
