import { join } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root } from './run.mjs'

/** A single installation leaves the machine idle while it waits for the registry and the disk. */
const atOnce = 3
// Their peer dependencies conflict, and their install scripts must not run.
const args = ['--legacy-peer-deps', '--ignore-scripts']

/**
 * Installs what the lockfiles of these folders name, where it is missing: packages that tests use and that our own
 * packages must not see. Throws when any cannot be had. Our own packages must be built, because some folders pack them.
 */
export async function installForTests(folders, say) {
  const waiting = [...folders]
  const missing = []
  const install = async () => {
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift())
      if (!(await installFolder(join(root, folder), say, { what: `what ${folder} is tested with`, args })))
        missing.push(folder)
  }
  await Promise.all(Array.from({ length: atOnce }, install))
  if (missing.length > 0)
    throw new Error(`What ${missing.join(', ')} needs could not be installed (npm install). Is the network there?`)
}
