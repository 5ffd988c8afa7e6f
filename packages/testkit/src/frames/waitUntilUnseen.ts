import type { Locator } from 'playwright-core'

/**
 * Waits until the browser has reported to the frame that an element is not seen whole, as it does a moment after the page has covered or
 * cut off the frame: a click before that counts. The second of two looks is past all that the first found out.
 */
export async function waitUntilUnseen(element: Locator): Promise<void> {
  for (let looks = 0; looks < 2; looks++) {
    await element.evaluate(
      (target) =>
        new Promise<void>((resolve) => {
          // As the frame itself looks; the library of types has no version 2 of it yet.
          const options = { threshold: [0.98], trackVisibility: true, delay: 100 }
          const observer = new IntersectionObserver((entries) => {
            const last = entries.at(-1) as IntersectionObserverEntry & { isVisible: boolean }
            if (last.intersectionRatio >= 0.98 && last.isVisible) return
            observer.disconnect()
            setTimeout(resolve, 200)
          }, options)
          observer.observe(target)
        }),
    )
  }
}
