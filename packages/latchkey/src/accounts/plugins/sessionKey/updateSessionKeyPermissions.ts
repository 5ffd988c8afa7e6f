import { type Address, encodeFunctionData, type Hex } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import { requirePermissions } from './requirePermissions.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

export declare namespace updateSessionKeyPermissions {
  type Parameters = SendOptions & {
    key: Address
    /** What changes: `new SessionKeyPermissionsBuilder()….encode()`. What is not said stays, but for the list's type. */
    permissions: readonly Hex[]
  }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Changes what a session key may do. The plugin refuses a key it does not know (`SessionKeyNotFound`): a
 * `ContractRevertedError`. Throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export async function updateSessionKeyPermissions(
  client: OperationClient,
  { key, permissions, ...options }: updateSessionKeyPermissions.Parameters,
): Promise<updateSessionKeyPermissions.ReturnType> {
  const account = requireAccount(client, options, 'updateSessionKeyPermissions')
  const args = [requireAddress(key), requirePermissions(permissions)] as const
  const callData = encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'updateKeyPermissions', args })
  return sendCallData(client, { ...options, account, callData })
}
