import type { CustodyDeps } from '../../server/src/custody/deps.ts'
import { readMacKey } from '../../server/src/custody/macKey.ts'
import { readProjects } from '../../server/src/custody/organizations/trustedProjects.ts'
import { purge } from '../../server/src/custody/purge.ts'
import type { TestCustody } from './custody.ts'

export async function createPurgeContext(deps: CustodyDeps): Promise<Parameters<typeof purge>[0]> {
  const { db, keyEncryption, now = Date.now } = deps
  return { ...deps, now, macKey: await readMacKey(db, keyEncryption), projects: readProjects(deps.projects) }
}

/**
 * Runs the purge that custody runs every ten minutes, at custody's time or at a given time. Sets the database's clock
 * to that time.
 */
export async function purgeCustody(
  { deps, store }: Pick<TestCustody, 'deps' | 'store'>,
  { now = deps.now ?? Date.now }: { now?: () => number } = {},
): Promise<void> {
  const ahead = `${Math.round(now() - Date.now())} milliseconds`
  const move = 'insert into devnet_clock (ahead) values ($1) on conflict (id) do update set ahead = excluded.ahead'
  await store.pool.query(move, [ahead])
  try {
    await purge({ ...(await createPurgeContext(deps)), now })
  } finally {
    await store.pool.query('delete from devnet_clock')
  }
}
