import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { launchChromium } from './launchChromium.ts'
import type { Listening } from './listen.ts'
import type { PageConfig } from './page.ts'
import { startFrame } from './startFrame.ts'
import { startPage } from './startPage.ts'
import { type Peer, startPeer } from './startPeer.ts'
import { type Profile, startProfile } from './startProfile.ts'

export const sessionKey = 'alchemy-signer-session'
export const signedOut = '{"state":{"session":null},"version":0}'
export const email = 'user@example.com'

/** What a test may change before it opens a tab. */
export type MailTabs = {
  readonly page: Listening
  readonly browser: Browser
  peer: Peer
  extra: Partial<PageConfig>
  /** Origin the frame lists. */
  listed: string
  startPeer(): Promise<Peer>
  open(url?: string): Promise<Page>
  /** Asks for a mail in this tab and returns the link in it. */
  ask(tab: Page, redirectParams?: string): Promise<string>
  signIn(): Promise<{ asking: Page; opened: Page; link: string }>
}

export const status = (tab: Page, wanted: string) =>
  tab.waitForFunction((name) => window.page.signer.status === name, wanted)
export const statuses = (tab: Page) => tab.evaluate(() => window.page.statuses)
export const stored = (tab: Page, key = sessionKey) => tab.evaluate((name) => localStorage.getItem(name), key)
export const outcome = async (tab: Page) => {
  await tab.waitForFunction(() => window.page.outcome !== undefined)
  return tab.evaluate(() => window.page.outcome)
}

/** A browser, a page with a signer and the auth frame for a file; a fresh profile and a peer of its own for each test. */
export function mailTabs(): MailTabs {
  let browser: Browser
  let frame: Listening
  let page: Listening
  let profile: Profile
  const tabs: MailTabs = {
    get page() {
      return page
    },
    get browser() {
      return browser
    },
    peer: undefined as unknown as Peer,
    extra: {},
    listed: '',
    startPeer: () => startPeer({ authFrameUrl: frame.url, pageUrl: () => page.url }),
    async open(url = page.url) {
      const tab = await profile.context.newPage()
      await tab.goto(url)
      await tab.waitForFunction(() => window.page !== undefined)
      return tab
    },
    async ask(tab, redirectParams) {
      const { mails } = tabs.peer
      const before = mails.length
      const start = { email, ...(redirectParams === undefined ? {} : { redirectParams }) }
      await tab.evaluate((given) => window.page.start(given), start)
      await status(tab, 'AWAITING_EMAIL_AUTH')
      expect(mails).toHaveLength(before + 1)
      return mails.at(-1)?.link ?? ''
    },
    async signIn() {
      const asking = await tabs.open()
      const link = await tabs.ask(asking)
      const opened = await tabs.open(link)
      await Promise.all([status(opened, 'CONNECTED'), status(asking, 'CONNECTED')])
      return { asking, opened, link }
    },
  }
  beforeAll(async () => {
    browser = await launchChromium()
    page = await startPage(() => ({ signerApiUrl: tabs.peer.url, ...tabs.extra }))
    frame = await startFrame(
      () => tabs.listed,
      () => page.url,
    )
    profile = await startProfile(browser, page.url)
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([frame?.close(), page?.close()])
  })
  beforeEach(async () => {
    tabs.extra = {}
    tabs.listed = page.url
    tabs.peer = await tabs.startPeer()
  })
  afterEach(async () => {
    await profile.renew([page.url, frame.url])
    await tabs.peer.close()
  })
  return tabs
}
