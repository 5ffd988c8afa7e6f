import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium } from './launchChromium.ts'
import type { Listening } from './listen.ts'
import { derivePublicKey } from './sealExport.ts'
import { startFrame } from './startFrame.ts'
import { startPage } from './startPage.ts'
import { bundleSigningKey, type Peer, startPeer } from './startPeer.ts'
import { startProfile } from './startProfile.ts'

export type SignerWorld = {
  page: Listening
  peer: Peer
  context: BrowserContext
  browser: Browser
  /** A tab with a signer in it. */
  open(url?: string): Promise<Page>
  status(tab: Page, wanted: string): Promise<unknown>
  /** Signs a user in by mail, in one tab. */
  signInByMail(email?: string): Promise<Page>
  /** A fresh browser profile and a new peer; what was before is closed. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** A browser, a page with a signer, the auth frame (and the export frame) and a peer to test against. */
export async function startSignerWorld(options: { withExport?: boolean } = {}): Promise<SignerWorld> {
  const browser = await launchChromium()
  let peer: Peer
  const page = await startPage(() => ({ signerApiUrl: peer.url }))
  const authFrame = await startFrame(() => page.url)
  const exportFrame = options.withExport
    ? await startFrame(() => page.url, undefined, {
        page: 'export',
        bundleSigningKey: () => derivePublicKey(bundleSigningKey),
      })
    : undefined
  const renew = async () => {
    peer = await startPeer({
      authFrameUrl: authFrame.url,
      ...(exportFrame && { exportFrameUrl: exportFrame.url }),
      pageUrl: () => page.url,
    })
  }
  await renew()
  const profile = await startProfile(browser, page.url)
  const { context } = profile
  const end = async () => {
    await profile.renew([page, authFrame, ...(exportFrame ? [exportFrame] : [])].map(({ url }) => url))
    await peer.close()
  }
  const open = async (url = page.url) => {
    const tab = await context.newPage()
    await tab.goto(url)
    await tab.waitForFunction(() => window.page !== undefined)
    return tab
  }
  const status = (tab: Page, wanted: string) =>
    tab.waitForFunction((name) => window.page.signer.status === name, wanted)

  return {
    browser,
    page,
    get peer() {
      return peer
    },
    context,
    open,
    status,
    async signInByMail(email = 'user@example.com') {
      const tab = await open()
      await tab.evaluate((start) => window.page.start(start), { email })
      await status(tab, 'AWAITING_EMAIL_AUTH')
      const bundle = peer.mails.at(-1)?.bundle ?? ''
      await tab.evaluate((given) => window.page.signer.authenticate({ type: 'email', bundle: given }), bundle)
      return tab
    },
    async reset() {
      await end()
      await renew()
    },
    async close() {
      await end()
      await browser.close()
      await Promise.all([page.close(), authFrame.close(), exportFrame?.close()])
    },
  }
}
