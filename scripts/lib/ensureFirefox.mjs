import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { programPath, root, run, runNode } from './run.mjs'

const names = ['firefox-esr', 'firefox']
const applications = ['/Applications/Firefox.app/Contents/MacOS/firefox']

/** Finds or installs Firefox, checks that it starts, and sets FIREFOX_PATH. Throws if Firefox is unavailable. */
export async function ensureFirefox(say) {
  const { default: puppeteer } = await import('puppeteer-core')
  for (const install of [undefined, byApt, byPuppeteer]) {
    if (install) await install(say)
    const executablePath = findFirefox()
    if (!executablePath) continue
    process.env.FIREFOX_PATH = executablePath
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true, timeout: 60_000 })
    await browser.close()
    return executablePath
  }
  throw new Error('No Firefox could be found or installed. Install one, or set FIREFOX_PATH to it.')
}

function findFirefox() {
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
  return [process.env.FIREFOX_PATH, ...onPath, ...applications].find(isProgram)
}

function isProgram(path) {
  try {
    accessSync(path ?? '', constants.X_OK)
    return Boolean(path)
  } catch {
    return false
  }
}

async function byApt(say) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return
  say('Installing Firefox with apt-get …')
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-qq'], { capture: true, env, timeoutMs: 300_000 })
  for (const name of names) {
    const { code } = await run('apt-get', ['install', '-y', '-qq', name], { capture: true, env, timeoutMs: 900_000 })
    if (code === 0) return
  }
}

async function byPuppeteer(say) {
  say("Downloading Firefox with Puppeteer's installer …")
  const folder = join(root, 'node_modules/.cache/browsers')
  const installer = programPath('@puppeteer/browsers', 'browsers')
  const { code, output } = await runNode(
    [installer, 'install', 'firefox@stable', '--path', folder, '--format', '{{path}}'],
    {
      capture: true,
      timeoutMs: 900_000,
    },
  )
  if (code === 0) process.env.FIREFOX_PATH = output.trim().split('\n').at(-1)
}
