import { execFileSync } from 'node:child_process'
import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DevError } from '../errors.ts'

export declare namespace databaseUser {
  /** User and group id under which PostgreSQL runs. */
  type ReturnType = { uid: number; gid: number; name: string }
}

/**
 * Returns the user for PostgreSQL, which refuses to run as root. Undefined means the current user. For root, returns
 * `postgres` if that user exists, otherwise `nobody`. Never creates a user.
 */
export function databaseUser(): databaseUser.ReturnType | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const uid = readId('-u', name)
    const gid = readId('-g', name)
    if (uid !== undefined && gid !== undefined && uid !== 0) return { uid, gid, name }
  }
  throw new DevError('PostgreSQL does not run as root, and neither the user `postgres` nor `nobody` exists.', {
    code: 'DATABASE_UNREACHABLE',
    hint: 'Run this as an ordinary user.',
  })
}

function readId(flag: '-u' | '-g', name: string): number | undefined {
  try {
    const text = execFileSync('id', [flag, name], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    })
    const id = Number(text.trim())
    return Number.isSafeInteger(id) ? id : undefined
  } catch {
    return undefined
  }
}

export declare namespace canTraverse {
  type Identity = { uid: number; gid: number }
}

/**
 * Checks whether `who` may traverse all directories down to `directory`, inclusive. Checks only mode bits and the
 * primary group: a wrong false only causes a copy, while a wrong true would make the start fail.
 */
export function canTraverse(directory: string, who: canTraverse.Identity): boolean {
  let current: string
  try {
    current = realpathSync(directory)
  } catch {
    return false
  }
  // Bounds the loop. File systems do not have deeper paths.
  for (let depth = 0; depth < 4096; depth++) {
    const { mode, uid, gid } = statSync(current)
    const bit = uid === who.uid ? 0o100 : gid === who.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    const parent = dirname(current)
    if (parent === current) return true
    current = parent
  }
  return false
}
