import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach } from 'vitest'
import { reusePages, startParent } from '../signer/frameHarness.ts'
import type { Listening } from '../signer/listen.ts'
import { type FrameName, startFrame } from '../signer/startFrame.ts'
import { test } from '../worker.ts'

export type FrameStage = {
  context: BrowserContext
  /** The page around. */
  parent: Listening
  frame: Listening
}

/** A frame, a page that may embed it and a profile of the worker's browser, for the tests of a file; the auth frame unless `pin` names another. */
export function setFrame(pin?: { page: FrameName; bundleSigningKey: () => string }): FrameStage {
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
