import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach } from 'vitest'
import { reusePages, startParent } from '../signer/frameHarness.ts'
import type { Listening } from '../signer/listen.ts'
import { type FrameName, startFrame } from '../signer/startFrame.ts'
import { test } from '../worker.ts'

/**
 * Provides a frame, a page that may embed the frame, and a browser profile to the tests of a file. `pin` replaces the
 * auth frame.
 */
export function setFrame(pin?: { page: FrameName; bundleSigningKey: () => string }) {
  let context: BrowserContext
  let parent: Listening
  let frame: Listening
  test.beforeAll(async ({ browser }) => {
    context = await browser.newContext()
    parent = await startParent()
    frame = await startFrame(() => parent.url, undefined, pin)
  })
  afterAll(async () => {
    await context?.close()
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
