import { type Address, zeroAddress } from 'viem'
import { requireAddress } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { Creation } from './contract.ts'

/** Maximum number of owners that the factories accept. Owners that are added later do not count. */
const maxOwners = 100

/**
 * Returns 1 to 100 owners, including the signer, in ascending numeric order as the factories require. Removes
 * duplicates (in any letter case) and the zero address.
 *
 * @throws `ADDRESS_INVALID`, `OWNERS_INVALID`.
 */
export function listOwners(named: readonly Address[], signer?: Address): Creation['owners'] {
  const all = [...(named ?? []), ...(signer ? [signer] : [])]
  // EIP-55 makes equal addresses equal strings. Lower-case addresses sort numerically.
  const distinct = [...new Set(all.map(requireAddress))].filter((owner) => owner !== zeroAddress)
  const [first, ...rest] = distinct.sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  if (!first) {
    throw new BaseError('An account needs an owner.', {
      code: 'OWNERS_INVALID',
      metaMessages: ['Name at least one address that is not zero.'],
      name: 'OwnersArrayEmpty',
    })
  }
  if (distinct.length <= maxOwners) return [first, ...rest]
  throw new BaseError(`An account can be made with ${maxOwners} owners at most.`, {
    code: 'OWNERS_INVALID',
    metaMessages: [`Owners given: ${distinct.length}`, 'Make it with fewer, and add the others with `updateOwners`.'],
    name: 'OwnersLimitExceeded',
  })
}
