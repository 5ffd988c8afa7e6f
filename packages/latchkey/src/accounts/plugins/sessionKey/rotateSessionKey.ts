import { type Address, encodeFunctionData, type Hex } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import type { PluginAddressParameter } from '../callPlugin.ts'
import { findPredecessor } from './findPredecessor.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

export declare namespace rotateSessionKey {
  type Parameters = SendOptions & PluginAddressParameter & { oldKey: Address; newKey: Address }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Gives the permissions of a session key, and what is left of its limits, to another key in its place. Throws
 * `SESSION_KEY_NOT_FOUND`, `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export async function rotateSessionKey(
  client: OperationClient,
  { oldKey, newKey, pluginAddress, ...options }: rotateSessionKey.Parameters,
): Promise<rotateSessionKey.ReturnType> {
  const account = requireAccount(client, options, 'rotateSessionKey')
  const predecessor = await findPredecessor(account.client, { account: account.address, pluginAddress, key: oldKey })
  const args = [requireAddress(oldKey), predecessor, requireAddress(newKey)] as const
  const callData = encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'rotateSessionKey', args })
  return sendCallData(client, { ...options, account, callData })
}
