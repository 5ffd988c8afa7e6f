import { type Address, encodeFunctionData, type Hex } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import type { PluginAddressParameter } from '../callPlugin.ts'
import { findPredecessor } from './findPredecessor.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

export declare namespace removeSessionKey {
  type Parameters = SendOptions & PluginAddressParameter & { key: Address }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Takes a session key's rights away. Throws `SESSION_KEY_NOT_FOUND`, `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`,
 * `ACCOUNT_NOT_FOUND`.
 */
export async function removeSessionKey(
  client: OperationClient,
  { key, pluginAddress, ...options }: removeSessionKey.Parameters,
): Promise<removeSessionKey.ReturnType> {
  const account = requireAccount(client, options, 'removeSessionKey')
  const predecessor = await findPredecessor(account.client, { account: account.address, pluginAddress, key })
  const args = [requireAddress(key), predecessor] as const
  const callData = encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'removeSessionKey', args })
  return sendCallData(client, { ...options, account, callData })
}
