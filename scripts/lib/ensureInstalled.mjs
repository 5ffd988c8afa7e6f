import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runNpm } from './run.mjs'

const hashFile = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')

/**
 * Returns whether a folder's package-lock.json was installed, by `installFolder` or manually. `part`: see
 * `installFolder`.
 */
function isInstalled(folder, part) {
  const [lockfile, modules] = [join(folder, 'package-lock.json'), join(folder, 'node_modules')]
  const [marker, stamp] = [join(modules, '.package-lock.json'), join(modules, '.latchkey-install')]
  if (!existsSync(marker)) return false
  if (existsSync(stamp)) {
    const hash = hashFile(lockfile)
    return [hash, part + hash].includes(readFileSync(stamp, 'utf8'))
  }
  // After a manual install, npm's marker is newer than the lockfile, since npm writes it last.
  return statSync(marker).mtimeMs >= statSync(lockfile).mtimeMs - 1000
}

/**
 * Installs a folder's package-lock.json if missing or changed. Resolves to whether it is installed. Calls `say` with a
 * line when it installs. `part`: name of the subset of packages that `args` install; '' for all. `niceness`: see `run`.
 */
export async function installFolder(folder, say, { what, args = [], part = '', niceness = 0 }) {
  const stamp = join(folder, 'node_modules', '.latchkey-install')
  if (!isInstalled(folder, part)) {
    say(`Installing ${what} …`)
    // `npm ci` rejects a lockfile that lacks other platforms' programs, as with some registries. This command installs
    // the same locked versions, and --no-save leaves the lockfile unchanged.
    const all = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...args]
    const { code } = await runNpm(all, { quiet: true, niceness, env: { npm_config_progress: 'false' } })
    if (code !== 0) return false
    writeFileSync(stamp, part + hashFile(join(folder, 'package-lock.json')))
  }
  if (!existsSync(stamp)) writeFileSync(stamp, hashFile(join(folder, 'package-lock.json')))
  return true
}

/**
 * Installs our packages and the devnet's bundler if missing or changed. Calls `say` with a line for each that it
 * installs. `withTests`: with the `devDependencies`, which only tests and checks use.
 */
export async function ensureInstalled(say, { withTests }) {
  const installed = await Promise.all([
    installFolder(root, say, { what: 'packages', ...(!withTests && { args: ['--omit=dev'], part: 'start ' }) }),
    installFolder(join(root, 'packages/dev/third-party'), say, {
      what: 'the bundler',
      args: ['--legacy-peer-deps', '--ignore-scripts'],
    }),
  ])
  if (installed.every(Boolean)) return
  console.error('The packages could not be installed (npm install). Is the network there?')
  process.exit(1)
}
