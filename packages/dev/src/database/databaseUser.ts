import { execFileSync } from 'node:child_process'
import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DevError } from '../errors.ts'

export declare namespace databaseUser {
  /** Numeric identity PostgreSQL runs under. */
  type ReturnType = { uid: number; gid: number; name: string }
}

/**
 * Returns the user to run PostgreSQL, which refuses to run as root. `undefined` means the current user. As root it is
 * `postgres` if that user exists, else `nobody`; no user is ever created.
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
 * Returns whether `who` may traverse every directory down to and including `directory`. Checks only mode bits, with the
 * primary group: a wrong "no" costs a copy, a wrong "yes" would cost a failed start.
 */
export function canTraverse(directory: string, who: canTraverse.Identity): boolean {
  let current: string
  try {
    current = realpathSync(directory)
  } catch {
    return false
  }
  // No known file system has deeper paths.
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
