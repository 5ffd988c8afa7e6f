import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'

const abi = /* @__PURE__ */ parseAbi(['function updateOwners(address[] ownersToAdd, address[] ownersToRemove)'])

export type OwnersUpdate = {
  ownersToAdd?: readonly Address[] | undefined
  ownersToRemove?: readonly Address[] | undefined
}

/** Call that changes the owners of an account with several. Throws `OWNERS_INVALID`, `ADDRESS_INVALID`. */
export function encodeUpdateOwners({ ownersToAdd = [], ownersToRemove = [] }: OwnersUpdate): Hex {
  const lists = [requireOwners(ownersToAdd), requireOwners(ownersToRemove)] as const
  if (lists.every((list) => list.length === 0)) throw invalid('There is no owner to add or to remove.')
  return encodeFunctionData({ abi, functionName: 'updateOwners', args: lists })
}

function requireOwners(owners: readonly Address[]): readonly Address[] {
  const list = owners.map(requireAddress)
  const wrong = list.find((owner, index) => owner === zeroAddress || list.indexOf(owner) !== index)
  if (!wrong) return list
  throw invalid(wrong === zeroAddress ? 'The zero address is never an owner.' : `${wrong} is in the list twice.`)
}

function invalid(message: string): BaseError {
  return new BaseError(message, {
    code: 'OWNERS_INVALID',
    metaMessages: ['Check `ownersToAdd` and `ownersToRemove`.'],
    name: 'InvalidOwner',
  })
}
