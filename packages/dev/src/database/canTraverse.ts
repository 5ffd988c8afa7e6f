import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export declare namespace canTraverse {
  type Identity = { uid: number; gid: number }
}

/**
 * Whether `who` may pass through every directory down to `directory`, itself included. Mode bits only, with the primary
 * group: a "no" costs a copy, a wrong "yes" would cost a failed start.
 */
export function canTraverse(directory: string, who: canTraverse.Identity): boolean {
  let current: string
  try {
    current = realpathSync(directory)
  } catch {
    return false
  }
  // A path deeper than this does not exist on any file system we know.
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
