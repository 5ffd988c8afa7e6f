import { join } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root } from './run.mjs'

// Their peer dependencies conflict, and their install scripts must not run.
const args = ['--legacy-peer-deps', '--ignore-scripts']
/** Leaves the processors to the tests that run meanwhile. */
const niceness = 10

/**
 * Installs what the lockfiles of these folders name, one folder after the other, while other parts run: packages that
 * tests use and that our own packages must not see. Returns a function that waits until some of them are installed and
 * throws when any cannot be had. Our own packages must be built, because some folders pack them.
 */
export function installInBackground(folders, say) {
  const installing = new Map()
  let last = Promise.resolve()
  for (const folder of new Set(folders)) {
    last = last.then(() => installFolder(join(root, folder), say, { what: folder, args, niceness })).catch(() => false)
    installing.set(folder, last)
  }
  return async (wanted = []) => {
    const missing = []
    for (const folder of wanted) if (!(await installing.get(folder))) missing.push(folder)
    if (missing.length > 0)
      throw new Error(
        `The packages of ${missing.join(', ')} could not be installed (npm install). Is the network there?`,
      )
  }
}
