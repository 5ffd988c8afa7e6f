import { programPath, run, runNode } from './run.mjs'

/**
 * Finds or installs Chromium, starts it once, and sets CHROME_PATH. With apt-get, also installs the headless shell,
 * which halves the page tests' CPU time. Throws if Chromium is unavailable.
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

async function byApt(say) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return
  say('No Chromium was found: installing chromium and chromium-headless-shell with apt-get …')
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-qq'], { capture: true, env, timeoutMs: 300_000 })
  const install = ['install', '-y', '-qq', 'chromium', 'chromium-headless-shell']
  await run('apt-get', install, { capture: true, env, timeoutMs: 900_000 })
}

async function byPlaywright(say) {
  say("Downloading Playwright's Chromium …")
  await runNode([programPath('playwright-core'), 'install', 'chromium'], { capture: true, timeoutMs: 900_000 })
}
