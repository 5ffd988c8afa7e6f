import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export function createKeyboard({ keyboard }: Page) {
  const has = (place: Locator) => place.evaluate((element) => element === document.activeElement)
  async function tabTo(place: Locator, key = 'Tab') {
    await place.waitFor()
    for (let presses = 0; !(await has(place)); presses++) {
      if (presses > 60) throw new TypeError(`no way to ${place}`)
      await keyboard.press(key)
    }
  }
  async function untilReady(button: Locator) {
    await expect.poll(() => button.isEnabled()).toBe(true)
  }
  return {
    has,
    tabTo,
    untilReady,
    async press(button: Locator, key?: string) {
      await tabTo(button, key)
      await untilReady(button)
      await keyboard.press('Enter')
    },
  }
}
