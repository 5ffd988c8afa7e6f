import type { Locator } from 'playwright-core'

const maxTries = 10

/**
 * Clicks as a person does, who looks before, and again where nothing came of it or the frame says that the click did not count.
 * Frames take no click on what was not in view for half a second, and Chromium drops clicks on a frame that has just moved.
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
    // Otherwise the click itself would scroll, and move the frame just before. Playwright's own scrolling waits for the
    // button to hold still, which a frame out of view does not draw.
    await button.evaluate((element) => element.scrollIntoView({ block: 'nearest' }))
    await page.waitForTimeout(750)
    const press = await button.evaluateHandle((element) => {
      const state = { isThere: false }
      element.addEventListener('click', () => Object.assign(state, { isThere: true }), { capture: true, once: true })
      return state
    })
    await button.click()
    // A page that the click has left cannot tell any more.
    const isThere = await press.evaluate((state) => state.isThere).catch(() => true)
    if (isThere && !(await saysNotCounted(button))) return
  }
}

async function saysNotCounted(button: Locator): Promise<boolean> {
  if (!(await button.isVisible())) return false
  const texts = await button.evaluate((element) =>
    [...element.ownerDocument.querySelectorAll('[role=status]')].map(({ textContent }) => textContent ?? ''),
  )
  return texts.some((text) => text.includes('did not count'))
}
