import { existsSync } from 'node:fs'
import { programPath, run, runNode } from './run.mjs'

/**
 * Finds Chromium or installs it, proves that it starts, and leaves its path in CHROME_PATH. Throws when there is none.
 */
export async function ensureChromium(say) {
  const { findChromium, launchBrowser } = await import('../../packages/dev/dist/exports/testing.js')
  for (const install of [undefined, byApt, byPlaywright]) {
    if (install) await install(say)
    const path = await findChromium()
    if (!path) continue
    process.env.CHROME_PATH = path
    const browser = await launchBrowser()
    await browser.close()
    return path
  }
  throw new Error('No Chromium could be found or installed. Install one, or set CHROME_PATH to it.')
}

/** The browser without the parts of a window, in which tests of parts run; without it they run in the whole one. */
export async function ensureHeadlessShell(say) {
  if (existsSync('/usr/bin/chromium-headless-shell')) return
  await byApt(say, 'chromium-headless-shell')
}

async function byApt(say, name = 'chromium') {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return
  say(`Installing ${name} with apt-get …`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-qq'], { capture: true, env, timeoutMs: 300_000 })
  await run('apt-get', ['install', '-y', '-qq', name], { capture: true, env, timeoutMs: 900_000 })
}

async function byPlaywright(say) {
  say("Downloading Playwright's Chromium …")
  await runNode([programPath('playwright-core'), 'install', 'chromium'], { capture: true, timeoutMs: 900_000 })
}
