import type { Browser } from 'playwright-core'
import { DevError } from '../errors.ts'
import { findChromium } from './findChromium.ts'

export declare namespace launchBrowser {
  type Options = {
    /** Default true. */
    headless?: boolean | undefined
    /** Path of the program. Default: what `findChromium` finds. */
    executablePath?: string | undefined
    /** Further switches of the command line. */
    args?: readonly string[] | undefined
  }
  type ReturnType = Browser
}

/** Silence: a test browser talks to the pages under test and to nothing else. */
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts Chromium for a test; needs `playwright-core` installed. Throws `CHILD_MISSING` when there is no Chromium. */
export async function launchBrowser(options: launchBrowser.Options = {}): Promise<launchBrowser.ReturnType> {
  const executablePath = options.executablePath ?? (await findChromium())
  if (!executablePath) {
    throw new DevError('No Chromium was found.', {
      code: 'CHILD_MISSING',
      hint: 'Install one, or set CHROME_PATH to it.',
    })
  }
  const { chromium } = await import('playwright-core')
  // Chromium's sandbox does not work for root.
  const unconfined = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const args = [...quiet, ...unconfined, ...(options.args ?? [])]
  return chromium.launch({ executablePath, headless: options.headless ?? true, args, timeout: 60_000 })
}
