import type { Hex } from 'viem'
import { requireBytes } from '../../../core/arguments.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'

/** Updates of a session key's permissions, each of a selector at least. Throws `ARGUMENT_INVALID`. */
export function requirePermissions(permissions: readonly Hex[]): readonly Hex[] {
  if (!Array.isArray(permissions)) {
    throw new BaseError("A session key's permissions are not a list of changes.", {
      code: 'ARGUMENT_INVALID',
      metaMessages: ['Pass what `encode()` of a SessionKeyPermissionsBuilder gives.'],
    })
  }
  return permissions.map((update) => requireBytes("A change of a session key's permissions", update, 4))
}
