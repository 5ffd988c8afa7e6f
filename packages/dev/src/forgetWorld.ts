import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeData } from './database/dataLocation.ts'

/** What a world writes into its folder. Nothing else there is touched, should the folder hold other things. */
const own = ['secrets.json', 'chain', 'cache']

/** Forgets users, keys, chain and secrets of a world whose lock the caller holds. */
export function forgetWorld(dataDir: string): void {
  removeData(dataDir)
  for (const name of own) rmSync(join(dataDir, name), { recursive: true, force: true })
  for (const name of readdirSync(dataDir)) {
    // Leavings of an interrupted start.
    if (/^postgres-new-\w{6}$/.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}
