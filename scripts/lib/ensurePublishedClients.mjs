import { join } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root } from './run.mjs'

const folders = [
  'docs',
  'e2e/published',
  'e2e/published/infra',
  'e2e/providers',
  'e2e/accountKit',
  'e2e/react18',
  'e2e/packaging',
  'examples/next',
  'examples/viteSsr',
  'examples/vue',
  'examples/svelte',
  'examples/wagmi',
]

/**
 * Installs what our packages are tested with, and the frameworks of examples, each in a folder apart from all that is ours.
 * Throws when they cannot be had.
 */
export async function ensurePublishedClients(say) {
  // Their peers contradict each other, and nothing of theirs may run while it is installed.
  const args = ['--legacy-peer-deps', '--ignore-scripts']
  for (const folder of folders) {
    if (await installFolder(join(root, folder), say, { what: `what ${folder} is tested with`, args })) continue
    throw new Error(`What ${folder} is tested with could not be installed. Is the network there?`)
  }
}
