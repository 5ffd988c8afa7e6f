import { join } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root } from './run.mjs'

/**
 * Installs the published clients that the server is tested with, beside those tests and apart from all that is ours.
 * Throws when they cannot be had.
 */
export async function ensurePublishedClients(say) {
  // Their peers contradict each other, and nothing of theirs may run while it is installed.
  const args = ['--legacy-peer-deps', '--ignore-scripts']
  const folder = join(root, 'e2e/published')
  if (await installFolder(folder, say, { what: 'the published clients to test with', args })) return
  throw new Error('The published clients could not be installed in e2e/published. Is the network there?')
}
