import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../../dev/src/testing/launchBrowser.ts'

const headlessShell = '/usr/bin/chromium-headless-shell'

/**
 * Starts the browser for a test of one part: Chromium without the parts of a window where that is installed, which costs
 * half of the processor time; else the whole browser, in which tests of whole journeys always run.
 */
export function launchChromium(): Promise<Browser> {
  // Tabs of one site share a process, so that a second one opens in half the time.
  const args = ['--renderer-process-limit=1']
  return launchBrowser({ args, ...(existsSync(headlessShell) && { executablePath: headlessShell }) })
}
