import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { OperationClient, SendOptions } from './OperationClient.ts'
import { callSelf } from './sendCallData.ts'

export type OwnersUpdate = {
  ownersToAdd?: readonly Address[] | undefined
  ownersToRemove?: readonly Address[] | undefined
}

export declare namespace updateOwners {
  type Parameters = SendOptions & OwnersUpdate
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Changes the owners of a MultiOwnerLightAccount. Removals are applied first, so an address in both lists remains an
 * owner. The contract refuses to remove all owners (`EmptyOwnersNotAllowed`), to remove an address that is not an owner
 * (`OwnerDoesNotExist`), and to add the account itself or an existing owner (`InvalidOwner`).
 *
 * @throws `OWNERS_INVALID`, `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { updateOwners } from 'latchkey/accounts'
 * import { client } from './config.ts'
 *
 * const ownersToAdd = ['0x1111111111111111111111111111111111111111'] as const
 * const hash = await updateOwners(client, { ownersToAdd, waitForTxn: true })
 * console.log(hash)
 * ```
 */
export async function updateOwners(
  client: OperationClient,
  { ownersToAdd, ownersToRemove, ...options }: updateOwners.Parameters,
): Promise<updateOwners.ReturnType> {
  const data = encodeUpdateOwners({ ownersToAdd, ownersToRemove })
  return callSelf(client, { ...options, data }, 'updateOwners')
}

const abi = /* @__PURE__ */ parseAbi(['function updateOwners(address[] ownersToAdd, address[] ownersToRemove)'])

/**
 * Encodes the call that changes the owners of a multi-owner account.
 *
 * @throws `OWNERS_INVALID`, `ADDRESS_INVALID`.
 */
export function encodeUpdateOwners({ ownersToAdd = [], ownersToRemove = [] }: OwnersUpdate): Hex {
  const lists = [requireOwners(ownersToAdd), requireOwners(ownersToRemove)] as const
  if (lists.every((list) => list.length === 0)) throw invalidOwnersError('There is no owner to add or to remove.')
  return encodeFunctionData({ abi, functionName: 'updateOwners', args: lists })
}

function requireOwners(owners: readonly Address[]): readonly Address[] {
  const list = owners.map(requireAddress)
  const wrong = list.find((owner, index) => owner === zeroAddress || list.indexOf(owner) !== index)
  if (!wrong) return list
  throw invalidOwnersError(
    wrong === zeroAddress ? 'The zero address is never an owner.' : `${wrong} is in the list twice.`,
  )
}

function invalidOwnersError(message: string): BaseError {
  return new BaseError(message, {
    code: 'OWNERS_INVALID',
    metaMessages: ['Check `ownersToAdd` and `ownersToRemove`.'],
    name: 'InvalidOwner',
  })
}
