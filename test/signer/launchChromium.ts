import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Starts the browser of `CHROME_PATH`, else the system's. */
export function launchChromium(): Promise<Browser> {
  const candidates = [
    process.env.CHROME_PATH,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ]
  const executablePath = candidates.find((path) => path !== undefined && existsSync(path))
  if (!executablePath) throw new Error('No Chromium: set CHROME_PATH to one.')
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--headless',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
