import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { DevError } from '../errors.ts'

export declare namespace launchBrowser {
  type Options = {
    /** @default true */
    headless?: boolean | undefined
    /** Path of Chromium's executable. @default the result of `findChromium` */
    executablePath?: string | undefined
    /**
     * Runs `/usr/bin/chromium-headless-shell` if it is installed, with one process for all tabs of a site. Needs half
     * the processor time. Leave it off for end-to-end tests.
     *
     * @default false
     */
    light?: boolean | undefined
    /** Additional command-line switches. */
    args?: readonly string[] | undefined
  }
  type ReturnType = Browser
}

const headlessShell = '/usr/bin/chromium-headless-shell'

/** Switches that disable background traffic, so that the browser contacts only the pages under test. */
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Starts Chromium for a test. Requires `playwright-core`.
 *
 * @throws `CHILD_MISSING` if Chromium is not installed.
 *
 * @example
 * ```ts
 * import { launchBrowser } from 'latchkey-dev/testing'
 *
 * const browser = await launchBrowser({ headless: false })
 * const page = await browser.newPage()
 * ```
 */
export async function launchBrowser(options: launchBrowser.Options = {}): Promise<launchBrowser.ReturnType> {
  const { light = false } = options
  const shell = light && isProgram(headlessShell) ? headlessShell : undefined
  const executablePath = options.executablePath ?? shell ?? (await findChromium())
  if (!executablePath) {
    throw new DevError('No Chromium was found.', {
      code: 'CHILD_MISSING',
      hint: 'Install one, or set CHROME_PATH to it.',
    })
  }
  const { chromium } = await import('playwright-core')
  // Chromium's sandbox does not work as root.
  const unconfined = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const few = light ? ['--renderer-process-limit=1'] : []
  const args = [...quiet, ...unconfined, ...few, ...(options.args ?? [])]
  return chromium.launch({ executablePath, headless: options.headless ?? true, args, timeout: 60_000 })
}

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Returns the path of a Chromium: `CHROME_PATH`, otherwise Playwright's own, otherwise the system's. Returns undefined
 * if there is none. Throws `CHILD_MISSING` if `CHROME_PATH` is not an executable.
 *
 * @example
 * ```ts
 * import { findChromium } from 'latchkey-dev/testing'
 *
 * const path = (await findChromium()) ?? '/usr/bin/chromium'
 * ```
 */
export async function findChromium(): Promise<string | undefined> {
  const wanted = process.env.CHROME_PATH
  if (wanted) {
    if (isProgram(wanted)) return wanted
    throw new DevError(`CHROME_PATH is ${wanted}, and there is no program there.`, { code: 'CHILD_MISSING' })
  }
  const { chromium } = await import('playwright-core')
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return [chromium.executablePath(), ...onPath, ...applications].find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
