import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { DevError } from '../errors.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * Path of a Chromium: `CHROME_PATH`, else Playwright's own, else the system's. `undefined` when there is none; throws
 * `CHILD_MISSING` when CHROME_PATH names no program.
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
