import type { Locator, Page } from 'playwright-core'

/** How a person goes through a page without a pointer. */
export function createKeyboard({ keyboard }: Page) {
  const has = (place: Locator) => place.evaluate((element) => element === document.activeElement)
  return {
    /** Whether it has the focus. */
    has,
    async tabTo(place: Locator, key = 'Tab') {
      await place.waitFor()
      for (let presses = 0; !(await has(place)); presses++) {
        if (presses > 60) throw new TypeError(`no way to ${place}`)
        await keyboard.press(key)
      }
    },
  }
}
