import type { Locator } from 'playwright-core'

/**
 * Clicks as a person does, who looks before. Frames take no click on what was not in view for half a second, and
 * Chromium drops clicks on a frame that moved within the last one.
 */
export async function pressSeen(button: Locator): Promise<void> {
  await button.waitFor()
  await button.page().waitForTimeout(750)
  await button.click()
}
