import { join } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root } from './run.mjs'

/**
 * Installs the published clients that server and provider are tested with, beside those tests and apart from all that is
 * ours.
 * Throws when they cannot be had.
 */
export async function ensurePublishedClients(say) {
  // Their peers contradict each other, and nothing of theirs may run while it is installed.
  const args = ['--legacy-peer-deps', '--ignore-scripts']
  for (const folder of ['e2e/published', 'e2e/providers']) {
    if (await installFolder(join(root, folder), say, { what: `the clients of ${folder} to test with`, args })) continue
    throw new Error(`The published clients could not be installed in ${folder}. Is the network there?`)
  }
}
