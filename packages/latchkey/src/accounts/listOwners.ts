import { type Address, zeroAddress } from 'viem'
import { requireAddress } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { Creation } from './contract.ts'

/** What factories take when an account is made. Later there may be more. */
const maxOwners = 100

/**
 * Owners as factories want them, the signer among them: each once whatever the case of its letters, without the zero
 * address, ascending by number. Throws `ADDRESS_INVALID`, and `OWNERS_INVALID` where none or more than 100 are left.
 */
export function listOwners(named: readonly Address[], signer?: Address): Creation['owners'] {
  const all = [...(named ?? []), ...(signer ? [signer] : [])]
  // EIP-55 spells an address in one way, and lower case sorts as the numbers do.
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
