import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { findChromium } from '../../packages/dev/src/testing/launchBrowser.ts'

/**
 * Opens a browser that stores data for third-party frames, because e-mail links need the key that the frame has stored.
 * `args` are additional arguments of the browser.
 */
export async function openProfile(args: readonly string[] = []): Promise<{ profile: string; context: BrowserContext }> {
  const profile = await mkdtemp(join(tmpdir(), 'latchkey-test-published-'))
  await mkdir(join(profile, 'Default'))
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } }
  await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: (await findChromium()) ?? '',
    args: ['--no-sandbox', '--headless', '--disable-gpu', '--no-first-run', '--disable-background-networking', ...args],
  })
  return { profile, context }
}
