import { join } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root } from './run.mjs'

/** The largest first. */
const folders = [
  'e2e/published',
  'examples/next',
  'e2e/packaging',
  'e2e/accountKit',
  'e2e/providers',
  'docs',
  'examples/viteSsr',
  'examples/wagmi',
  'examples/vue',
  'examples/svelte',
  'e2e/react18',
]
/** One installation leaves the machine idle while it waits for the registry and the disk. */
const atOnce = 3

/**
 * Installs what our packages are tested with, and the frameworks of examples, each in a folder apart from all that is ours.
 * Throws when they cannot be had.
 */
export async function ensurePublishedClients(say, wanted = folders) {
  const waiting = [...wanted]
  const missing = []
  const install = async () => {
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift())
      if (!(await installFolder(join(root, folder), say, { what: `what ${folder} is tested with`, args })))
        missing.push(folder)
  }
  await Promise.all(Array.from({ length: atOnce }, install))
  if (missing.length === 0) return
  throw new Error(`What ${missing.join(', ')} is tested with could not be installed. Is the network there?`)
}

// Their peers contradict each other, and nothing of theirs may run while it is installed.
const args = ['--legacy-peer-deps', '--ignore-scripts']
