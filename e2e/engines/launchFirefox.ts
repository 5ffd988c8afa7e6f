import puppeteer, { type ElementHandle, type Frame, type Page } from 'puppeteer-core'
import { demand } from '../demand.ts'
import { type Engine, toTab } from './tab.ts'

/**
 * Starts Debian's Firefox over WebDriver BiDi, because Playwright needs commands that the long-term release lacks. With
 * `cookieBehavior` 5, the default, frames of other sites have partitioned storage; with 1 they have none.
 */
export async function launchFirefox(cookieBehavior: 1 | 5): Promise<Engine> {
  const executablePath = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr'
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    timeout: 60_000,
    extraPrefsFirefox: { 'network.cookie.cookieBehavior': cookieBehavior },
  })
  return {
    name: `Firefox ${(await browser.version()).replace(/^\w+\//, '')}, cookieBehavior ${cookieBehavior}`,
    async openTab(passkey) {
      const page = await browser.newPage()
      if (passkey) {
        await page.exposeFunction('latchkeyPasskey', (kind: 'create' | 'get', options: string) =>
          passkey.reply(kind, options, new URL(page.url()).origin),
        )
        await page.evaluateOnNewDocument(passkey.pageScript)
      }
      return toTab(driveTab(page))
    },
    close: () => browser.close(),
  }
}

function driveTab(page: Page) {
  async function within(selector?: string): Promise<Frame> {
    if (selector === undefined) return page.mainFrame()
    const frame = await (await page.$(selector))?.contentFrame()
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
    click: (element: ElementHandle) => element.click(),
    async type(element: ElementHandle, text: string) {
      await element.click({ count: 3 })
      await page.keyboard.type(text)
    },
  }
}
