import type { Frame } from 'playwright-core'

/**
 * Presses a key on the focused button until the frame accepts it. The frame ignores a press in the first half second
 * after an element became visible.
 */
export async function pressKeySeen(inner: Frame, key: 'Enter' | 'Space'): Promise<void> {
  const page = inner.page()
  for (let tries = 0; tries < 10; tries++) {
    await page.waitForTimeout(750)
    await page.keyboard.press(key)
    const texts = await inner.locator('[role=status]').allTextContents()
    if (!texts.some((text) => /Make sure you can see|Please read/.test(text))) return
  }
}
