import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './run.mjs'

/** Package names of Debian and Ubuntu. */
export const packages = ['webkit2gtk-driver', 'xvfb', 'xauth']
const programs = ['WebKitWebDriver', 'Xvfb', 'xauth']

/** Finds or installs WebKitGTK with its WebDriver, and a virtual display. Throws if they are unavailable. */
export async function ensureWebKit(say) {
  if (isThere()) return
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    say('Installing WebKitGTK with apt-get …')
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update', '-qq'], { capture: true, env, timeoutMs: 300_000 })
    await run('apt-get', ['install', '-y', '-qq', ...packages], { capture: true, env, timeoutMs: 900_000 })
  }
  if (!isThere()) throw new Error(`WebKitGTK is missing. Install ${packages.join(', ')}.`)
}

function isThere() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return programs.every((name) => folders.some((folder) => existsSync(join(folder, name)))) && hasBrowser()
}

function hasBrowser() {
  const libraries = '/usr/lib'
  return readdirSync(libraries)
    .filter((cpu) => cpu.endsWith('-linux-gnu'))
    .flatMap((cpu) => readdirSync(join(libraries, cpu)).map((name) => join(libraries, cpu, name)))
    .some((folder) => /\/webkit2gtk-4[^/]*$/.test(folder) && existsSync(join(folder, 'MiniBrowser')))
}
