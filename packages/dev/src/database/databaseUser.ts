import { execFileSync } from 'node:child_process'
import { DevError } from '../errors.ts'

export declare namespace databaseUser {
  /** Numeric identity PostgreSQL runs under. */
  type ReturnType = { uid: number; gid: number; name: string }
}

/**
 * The user PostgreSQL must run as: it refuses to run as root. `undefined` means "as we are".
 * As root it is `postgres` where that user exists, else `nobody`; no user is ever created.
 */
export function databaseUser(): databaseUser.ReturnType | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf('-u', name)
    const gid = idOf('-g', name)
    if (uid !== undefined && gid !== undefined && uid !== 0) return { uid, gid, name }
  }
  throw new DevError('PostgreSQL does not run as root, and neither the user `postgres` nor `nobody` exists.', {
    code: 'DATABASE_UNREACHABLE',
    hint: 'Run this as an ordinary user.',
  })
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
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
