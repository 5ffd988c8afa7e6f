import type { Address, Hex } from 'viem'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import { encodeUpdateOwners } from '../../actions/updateOwners.ts'

export declare namespace updatePluginOwners {
  type Parameters = SendOptions & {
    /** Owners to add, and owners to remove. */
    args: readonly [ownersToAdd: readonly Address[], ownersToRemove: readonly Address[]]
  }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Changes the owners of a modular account. The account hands the call to its MultiOwnerPlugin, which refuses to have no
 * owner (`EmptyOwnersNotAllowed`), to remove who is none (`OwnerDoesNotExist`), and to add who is one (`InvalidOwner`):
 * a `ContractRevertedError`. Throws `OWNERS_INVALID`, `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export async function updatePluginOwners(
  client: OperationClient,
  { args: [ownersToAdd, ownersToRemove], ...options }: updatePluginOwners.Parameters,
): Promise<updatePluginOwners.ReturnType> {
  const account = requireAccount(client, options, 'updateOwners')
  return sendCallData(client, { ...options, account, callData: encodeUpdateOwners({ ownersToAdd, ownersToRemove }) })
}
