import type { Locator } from 'playwright-core'

/**
 * Waits until the browser has reported twice that an element is not fully visible. Until then, the frame accepts
 * clicks.
 */
export async function waitUntilUnseen(element: Locator): Promise<void> {
  for (let looks = 0; looks < 2; looks++) {
    await element.evaluate(
      (target) =>
        new Promise<void>((resolve) => {
          // Same options as in the frame. The DOM types lack version 2 of the API.
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
