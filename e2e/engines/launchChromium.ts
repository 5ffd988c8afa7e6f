import { launchBrowser } from 'latchkey-dev/testing'
import type { ElementHandle, Frame, Page } from 'playwright-core'
import { demand } from '../demand.ts'
import { launchProfile } from '../launchProfile.ts'
import { type Engine, toTab } from './tab.ts'

/** Launches Chromium. A `private` profile stores nothing for frames of other sites. */
export async function launchChromium(profile: 'ordinary' | 'private'): Promise<Engine> {
  const browser = profile === 'ordinary' ? await launchProfile() : await launchBrowser()
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  return {
    name: `Chromium ${context.browser()?.version() ?? ''}, ${profile} profile`,
    async openTab(passkey) {
      const page = await context.newPage()
      await passkey?.installIn(page)
      return toTab(driveTab(page))
    },
    close: () => browser.close(),
  }
}

function driveTab(page: Page) {
  async function within(selector?: string): Promise<Frame> {
    if (selector === undefined) return page.mainFrame()
    const element = await page.$(selector)
    const frame = await element?.contentFrame()
    demand(frame, `the page has the frame ${selector}`)
    return frame
  }
  return {
    async goto(url: string) {
      await page.goto(url, { waitUntil: 'domcontentloaded' })
    },
    async reload() {
      await page.reload({ waitUntil: 'domcontentloaded' })
    },
    focus: () => page.bringToFront(),
    close: () => page.close(),
    evaluate: async <T>(source: string, frame?: string) => (await (await within(frame)).evaluate(source)) as T,
    async find(source: string, frame?: string) {
      const handle = await (await within(frame)).evaluateHandle(source)
      return handle.asElement() as ElementHandle | null
    },
    // Shorter than a step's timeout, so that an element replaced by a render is looked up again.
    click: (element: ElementHandle) => element.click({ timeout: 5_000 }),
    async type(element: ElementHandle, text: string) {
      await element.click({ clickCount: 3, timeout: 5_000 })
      // `page.keyboard` does not reach a same-site frame.
      await element.fill(text, { timeout: 5_000 })
    },
  }
}
