import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runNpm } from './run.mjs'

const lockfile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const stamp = join(modules, '.latchkey-install')

const hashOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

function isInstalled() {
  const marker = join(modules, '.package-lock.json')
  if (!existsSync(marker)) return false
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') === hashOf(lockfile)
  // Installed by hand: npm writes its marker at the end, after any change of the lockfile it knew.
  return statSync(marker).mtimeMs >= statSync(lockfile).mtimeMs - 1000
}

/** Installs what package-lock.json names, when it is missing or changed. `say` gets a line when something happens. */
export async function ensureInstalled(say) {
  if (!isInstalled()) {
    say('Installing packages …')
    // Not `npm ci`: it refuses a lockfile without the programs of other platforms, which not every registry carries.
    // The locked versions are the same, and --no-save leaves the lockfile as it is.
    const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
    const { code } = await runNpm(args, { quiet: true, env: { npm_config_progress: 'false' } })
    if (code !== 0) {
      console.error('The packages could not be installed (npm install). Is the network there?')
      process.exit(1)
    }
  }
  const hash = hashOf(lockfile)
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== hash) writeFileSync(stamp, hash)
}
