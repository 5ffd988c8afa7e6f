import { type Address, encodeFunctionData, type Hex } from 'viem'
import { requireAddress, requireExactBytes } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import { requirePermissions } from './requirePermissions.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

export declare namespace addSessionKey {
  type Parameters = SendOptions & {
    /** Address of the key. */
    key: Address
    /** 32 bytes for the app's own use: they come back in the event of the plugin. */
    tag: Hex
    /** What the key may do: `new SessionKeyPermissionsBuilder()….encode()`. */
    permissions: readonly Hex[]
  }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Lets a key act for a modular account within its permissions. The plugin refuses the zero address and a key that is
 * one already (`InvalidSessionKey`): a `ContractRevertedError`. Throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`,
 * `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export async function addSessionKey(
  client: OperationClient,
  { key, tag, permissions, ...options }: addSessionKey.Parameters,
): Promise<addSessionKey.ReturnType> {
  const account = requireAccount(client, options, 'addSessionKey')
  const args = [requireAddress(key), requireExactBytes('The tag', tag, 32), requirePermissions(permissions)] as const
  const callData = encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'addSessionKey', args })
  return sendCallData(client, { ...options, account, callData })
}
