import type { Frame } from 'playwright-core'

/**
 * Presses a key on the button that has the focus, as `pressSeen` clicks: after a look, and again where the frame says that
 * the press did not count. Half a second of sight begins when the browser says so, on a busy machine late.
 */
export async function pressKeySeen(inner: Frame, key: 'Enter' | 'Space'): Promise<void> {
  const page = inner.page()
  for (let tries = 0; tries < 10; tries++) {
    await page.waitForTimeout(750)
    await page.keyboard.press(key)
    const texts = await inner.locator('[role=status]').allTextContents()
    if (!texts.some((text) => text.includes('did not count'))) return
  }
}
