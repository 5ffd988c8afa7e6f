import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from 'latchkey-dev/testing'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

export type ProfileBrowser = Pick<Browser, 'newContext'> & { close(): Promise<void> }

/**
 * Launches Chromium with ordinary profiles, in which third-party frames have partitioned storage. The private profiles
 * of `launchBrowser` have none.
 */
export async function launchProfile(): Promise<ProfileBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-profile-'))
  const contexts: BrowserContext[] = []
  const executablePath = await findChromium()
  const args = ['--disable-gpu', '--no-first-run', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  return {
    async newContext() {
      const profile = join(folder, String(contexts.length))
      // Recent versions of Chromium block third-party storage by default, unlike Chrome.
      const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } }
      await mkdir(join(profile, 'Default'), { recursive: true })
      await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences))
      const options = { args, timeout: 60_000, ...(executablePath && { executablePath }) }
      const context = await chromium.launchPersistentContext(profile, options)
      contexts.push(context)
      return context
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close().catch(() => undefined)))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
