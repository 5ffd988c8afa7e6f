import type { CustodyDeps } from '../../server/src/custody/deps.ts'
import { readMacKey } from '../../server/src/custody/macKey.ts'
import { readProjects } from '../../server/src/custody/organizations/trustedProjects.ts'
import { purge } from '../../server/src/custody/purge.ts'

/** What a custody's purge knows. */
export async function createPurgeContext(deps: CustodyDeps): Promise<Parameters<typeof purge>[0]> {
  const { db, keyEncryption, now = Date.now } = deps
  return { ...deps, now, macKey: await readMacKey(db, keyEncryption), projects: readProjects(deps.projects) }
}

/** Purges as a custody does every ten minutes, at its clock or another. */
export async function purgeCustody(deps: CustodyDeps, changes: { now?: () => number } = {}): Promise<void> {
  await purge({ ...(await createPurgeContext(deps)), ...changes })
}
