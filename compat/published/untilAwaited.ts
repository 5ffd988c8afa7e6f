import type { Page } from 'playwright-core'

/**
 * Waits until the page has received the response to its e-mail request. The e-mail may arrive earlier, when the page
 * would not accept its link yet.
 */
export async function untilAwaited(asking: Page): Promise<void> {
  await asking.waitForFunction(() => Object.keys(localStorage).some((key) => key.endsWith(':temporary')))
}
