import { accessSync, constants } from 'node:fs'
import puppeteer, { type Browser } from 'puppeteer-core'

export type BrowserName = 'chrome' | 'firefox'

const candidates: Record<BrowserName, (string | undefined)[]> = {
  chrome: [process.env.CHROME_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  firefox: [
    process.env.FIREFOX_PATH,
    '/usr/bin/firefox-esr',
    '/usr/bin/firefox',
    '/Applications/Firefox.app/Contents/MacOS/firefox',
  ],
}

/** Starts Chromium or Firefox; `prefs` are Firefox settings of about:config. */
export function launchPuppeteer(name: BrowserName, prefs: Record<string, unknown> = {}): Promise<Browser> {
  const executablePath = candidates[name].find(isProgram)
  if (!executablePath) throw new TypeError(`No ${name}: set ${name === 'chrome' ? 'CHROME_PATH' : 'FIREFOX_PATH'}.`)
  const args = name === 'chrome' ? ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] : []
  const options = { browser: name, executablePath, args, headless: true, timeout: 60_000 }
  return puppeteer.launch({ ...options, extraPrefsFirefox: prefs })
}

function isProgram(path: string | undefined): path is string {
  try {
    accessSync(path ?? '', constants.X_OK)
    return path !== undefined
  } catch {
    return false
  }
}
