import type { Hex } from 'viem'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { callSelf } from './callSelf.ts'
import { encodeUpdateOwners, type OwnersUpdate } from './encodeUpdateOwners.ts'
import type { OperationClient, SendOptions } from './OperationClient.ts'

export declare namespace updateOwners {
  type Parameters = SendOptions & OwnersUpdate
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Changes the owners of a MultiOwnerLightAccount. Removals come first: an address in both lists is an owner afterwards.
 * The contract refuses to have no owner (`EmptyOwnersNotAllowed`), to remove who is none (`OwnerDoesNotExist`), and to
 * add itself or who is one (`InvalidOwner`): a `ContractRevertedError`. Throws `OWNERS_INVALID` where the lists can
 * never be right, `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export async function updateOwners(
  client: OperationClient,
  { ownersToAdd, ownersToRemove, ...options }: updateOwners.Parameters,
): Promise<updateOwners.ReturnType> {
  const data = encodeUpdateOwners({ ownersToAdd, ownersToRemove })
  return callSelf(client, { ...options, data }, 'updateOwners')
}
