import { chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DevError } from '../errors.ts'
import type { databaseUser } from './databaseUser.ts'
import { canTraverse } from './databaseUser.ts'

export declare namespace dataLocation {
  type Parameters = {
    /** The devnet's folder. */
    dataDir: string
    user: databaseUser.ReturnType | undefined
    /** Folders to try in order if the database user cannot access `dataDir`. */
    fallbackRoots?: readonly string[] | undefined
  }
}

/** File in the devnet's folder that records another location of the data. */
const note = 'postgres-location.json'

/**
 * Returns the cluster's folder, to which only the database user has access: `<dataDir>/postgres`. If the database user
 * cannot access that folder, returns a folder with an unguessable name under `/var/tmp`, which is recorded in
 * `<dataDir>`.
 */
export function dataLocation(parameters: dataLocation.Parameters): string {
  const { user } = parameters
  const dataDir = resolve(parameters.dataDir)
  mkdirSync(dataDir, { recursive: true })
  if (!user || canTraverse(dataDir, user)) return ensureOwned(join(dataDir, 'postgres'), user)
  const noted = readLocation(dataDir)
  if (noted && isOwnedBy(noted, user)) return join(noted, 'postgres')

  const roots = parameters.fallbackRoots ?? ['/var/tmp', tmpdir(), '/tmp']
  const root = roots.find((path) => existsSync(path) && canTraverse(path, user))
  if (!root) {
    throw new DevError(`The user ${user.name} can reach neither ${dataDir} nor any of ${roots.join(', ')}.`, {
      code: 'DATABASE_UNREACHABLE',
      hint: 'Choose another folder with --data-dir.',
    })
  }
  const home = mkdtempSync(join(root, 'latchkey-data-'))
  chownSync(home, user.uid, user.gid)
  writeFileSync(join(dataDir, note), `${JSON.stringify({ path: home })}\n`, { mode: 0o600 })
  return join(home, 'postgres')
}

/** Deletes the cluster of a stopped devnet, wherever its folder is. */
export function removeData(dataDir: string): void {
  const noted = readLocation(dataDir)
  if (noted) rmSync(noted, { recursive: true, force: true })
  rmSync(join(dataDir, note), { force: true })
  rmSync(join(dataDir, 'postgres'), { recursive: true, force: true })
}

function readLocation(dataDir: string): string | undefined {
  try {
    const { path } = JSON.parse(readFileSync(join(dataDir, note), 'utf8')) as { path?: unknown }
    // Ignores paths that this program does not create.
    if (typeof path !== 'string' || !/\/latchkey-data-\w{6}$/.test(path)) return undefined
    return lstatSync(path).isDirectory() ? path : undefined
  } catch {
    return undefined
  }
}

function ensureOwned(path: string, user: databaseUser.ReturnType | undefined): string {
  if (!existsSync(path)) return path
  const owner = user?.uid ?? process.getuid?.()
  if (owner === undefined || isOwnedBy(path, { uid: owner })) return path
  throw new DevError(`${path} belongs to another user than the one PostgreSQL runs as now.`, {
    code: 'DATABASE_UNREACHABLE',
    hint: `Start as the user that created it, choose another folder with --data-dir, or remove ${dirname(path)}.`,
  })
}

function isOwnedBy(path: string, user: { uid: number }): boolean {
  const stat = lstatSync(path)
  return stat.isDirectory() && stat.uid === user.uid
}
