import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { reusePages, startParent } from '../signer/frameHarness.ts'
import { launchChromium } from '../signer/launchChromium.ts'
import type { Listening } from '../signer/listen.ts'
import { type FrameName, startFrame } from '../signer/startFrame.ts'

export type FrameStage = {
  context: BrowserContext
  /** The page around. */
  parent: Listening
  frame: Listening
}

/** A frame, a page that may embed it and a browser, for the tests of a file; the auth frame unless `pin` names another. */
export function setFrame(pin?: { page: FrameName; bundleSigningKey: () => string }): FrameStage {
  let browser: Browser
  let context: BrowserContext
  let parent: Listening
  let frame: Listening
  beforeAll(async () => {
    browser = await launchChromium()
    context = await browser.newContext()
    parent = await startParent()
    frame = await startFrame(() => parent.url, undefined, pin)
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([parent?.close(), frame?.close()])
  })
  afterEach(() => reusePages(context, frame.url))
  return {
    get context() {
      return context
    },
    get parent() {
      return parent
    },
    get frame() {
      return frame
    },
  }
}
