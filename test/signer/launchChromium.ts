import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../packages/dev/src/testing/launchBrowser.ts'

const headlessShell = '/usr/bin/chromium-headless-shell'

/**
 * Starts the browser for a test of one part: Chromium without the parts of a window where that is installed, which costs
 * half of the processor time; else the whole browser, in which e2e tests always run.
 */
export function launchChromium(): Promise<Browser> {
  return launchBrowser(existsSync(headlessShell) ? { executablePath: headlessShell } : {})
}
