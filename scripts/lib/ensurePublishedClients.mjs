import { join } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root } from './run.mjs'

/** Hold nothing of ours, so that they can be installed before anything of ours is. The largest first. */
const apart = [
  'e2e/published',
  'e2e/packaging',
  'e2e/accountKit',
  'e2e/providers',
  'docs',
  'examples/wagmi',
  'examples/vue',
  'examples/svelte',
  'e2e/react18',
]
/** Installing one packs our client as it is built. */
const withClient = ['examples/next', 'examples/viteSsr']
/** One installation leaves the machine idle while it waits for the registry and the disk. */
const atOnce = 3

/**
 * Begins with the folders that need nothing of ours, beside one other installation. Call what it returns once all is
 * built: it installs the rest, and throws when any could not be had.
 */
export function beginPublishedClients(say) {
  const begun = installAll(say, apart, atOnce - 1)
  return async () => {
    const missing = await Promise.all([begun, installAll(say, withClient, 1)])
    demandAll(missing.flat())
  }
}

/**
 * Installs what our packages are tested with, and the frameworks of examples, each in a folder apart from all that is ours.
 * Throws when they cannot be had.
 */
export async function ensurePublishedClients(say, wanted = [...apart, ...withClient]) {
  demandAll(await installAll(say, wanted, atOnce))
}

/** Resolves to the folders that could not be installed. */
async function installAll(say, wanted, most) {
  const waiting = [...wanted]
  const missing = []
  const install = async () => {
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift())
      if (!(await installFolder(join(root, folder), say, { what: `what ${folder} is tested with`, args })))
        missing.push(folder)
  }
  await Promise.all(Array.from({ length: most }, install))
  return missing
}

function demandAll(missing) {
  if (missing.length === 0) return
  throw new Error(`What ${missing.join(', ')} is tested with could not be installed. Is the network there?`)
}

// Their peers contradict each other, and nothing of theirs may run while it is installed.
const args = ['--legacy-peer-deps', '--ignore-scripts']
