import type { Locator } from 'playwright-core'
import { demand } from './demand.ts'

/**
 * Waits until an element has exactly this text. Polls inside the page, because polling from outside would distort the
 * measured times.
 */
export async function textBecomes(locator: Locator, text: string, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const left = deadline - Date.now()
    const seen = left > 0 ? await locator.evaluate(watchText, { text, timeoutMs: left }, { timeout: left }) : 'never'
    if (seen === 'yes') return
    // A replaced element is looked up again.
    if (seen === 'never') demand(false, `the page shows ${text} within ${timeoutMs / 1000} s`)
  }
}

function watchText(
  element: HTMLElement | SVGElement,
  { text, timeoutMs }: { text: string; timeoutMs: number },
): Promise<'yes' | 'gone' | 'never'> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!element.isConnected) end('gone')
      else if (element.textContent?.trim() === text) end('yes')
    }
    const observer = new MutationObserver(look)
    const timer = setTimeout(() => end('never'), timeoutMs)
    function end(seen: 'yes' | 'gone' | 'never'): void {
      observer.disconnect()
      clearTimeout(timer)
      resolve(seen)
    }
    observer.observe(document, { subtree: true, childList: true, characterData: true })
    look()
  })
}
