import { createHash } from 'node:crypto'
import { copyFileSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { installFolder } from './ensureInstalled.mjs'
import { root } from './run.mjs'

/**
 * Installs what a folder's package-lock.json names. Where `LATCHKEY_KEPT` names a folder that outlives the clone, it is
 * installed there, once for each lockfile, and linked here. Throws when it cannot be had.
 */
export async function ensureKept(folder, say) {
  const here = join(root, folder)
  const kept = process.env.LATCHKEY_KEPT ? prepareKept(here, resolve(process.env.LATCHKEY_KEPT)) : here
  const args = ['--legacy-peer-deps', '--ignore-scripts']
  if (!(await installFolder(kept, say, { what: `what ${folder} is tested with`, args })))
    throw new Error(`What ${folder} is tested with could not be installed. Is the network there?`)
  if (kept === here) return
  const link = join(here, 'node_modules')
  const there = lstatSync(link, { throwIfNoEntry: false })
  // What was installed by hand stays.
  if (there && !there.isSymbolicLink()) return
  if (there) rmSync(link)
  symlinkSync(join(kept, 'node_modules'), link)
}

/** Its folder among the kept ones, named for what it locks. */
function prepareKept(here, folder) {
  const hash = createHash('sha256')
    .update(readFileSync(join(here, 'package-lock.json')))
    .digest('hex')
  const kept = join(folder, hash)
  mkdirSync(kept, { recursive: true })
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) copyFileSync(join(here, name), join(kept, name))
  return kept
}
