import type { Hex } from 'viem'
import { requireBytes } from '../../requireBytes.ts'

/** Updates of a session key's permissions, each of a selector at least. Throws `ARGUMENT_INVALID`. */
export function requirePermissions(permissions: readonly Hex[]): readonly Hex[] {
  return permissions.map((update) => requireBytes("A change of a session key's permissions", update, 4))
}
