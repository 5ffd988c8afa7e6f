import type { Locator } from 'playwright-core'

const maxTries = 10

/**
 * Clicks a button in a frame once it has been visible for a moment. Retries if the click had no effect or the frame
 * ignored it: frames ignore clicks in the first half second, and Chromium drops clicks on a frame that has just moved.
 *
 * @example
 * ```ts
 * import { launchBrowser, pressSeen, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const page = await (await launchBrowser()).newPage()
 * await page.goto(devnet.urls.wallet)
 * await pressSeen(page.frameLocator('#turnkey-export-iframe').getByRole('button', { name: 'Reveal' }))
 * ```
 */
export async function pressSeen(button: Locator, tries = maxTries): Promise<void> {
  await button.waitFor()
  const page = button.page()
  for (let left = tries; left > 0; left--) {
    // Scrolls first, because a click that scrolls would move the frame. Playwright's own scrolling waits for a stable
    // button, which an off-screen frame does not render.
    await button.evaluate((element) => element.scrollIntoView({ block: 'nearest' }))
    await page.waitForTimeout(750)
    const press = await button.evaluateHandle((element) => {
      const state = { isThere: false }
      element.addEventListener('click', () => Object.assign(state, { isThere: true }), { capture: true, once: true })
      return state
    })
    await button.click()
    // If the click closed the page, it cannot respond.
    const isThere = await press.evaluate((state) => state.isThere).catch(() => true)
    if (isThere && !(await saysNotCounted(button))) return
  }
}

const refusals = /Make sure you can see|Please read/

async function saysNotCounted(button: Locator): Promise<boolean> {
  if (!(await button.isVisible())) return false
  const texts = await button.evaluate((element) =>
    [...element.ownerDocument.querySelectorAll('[role=status]')].map(({ textContent }) => textContent ?? ''),
  )
  return texts.some((text) => refusals.test(text))
}
