import { join } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root } from './run.mjs'

// The peer dependencies of these packages conflict, and their install scripts must not run.
const args = ['--legacy-peer-deps', '--ignore-scripts']
/** A low priority, so that concurrent tests get most of the CPU time. */
const niceness = 10

/**
 * Installs the lockfiles of these folders in the background, one after another. Only tests use these packages; our own
 * packages must not resolve them. Returns a function that waits for some of the folders and throws if an installation
 * failed. Build our own packages first, because some folders install packed copies of them.
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
