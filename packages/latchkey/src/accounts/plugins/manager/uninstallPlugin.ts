import type { Hex } from 'viem'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import { encodeUninstallPlugin } from './encodeUninstallPlugin.ts'

export declare namespace uninstallPlugin {
  type Parameters = SendOptions & encodeUninstallPlugin.Parameters
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Takes a plugin out of a modular account (ERC-6900 v0.7). Without its owner plugin an account can do nothing any more.
 * The account refuses one that is not installed or that others build on: a `ContractRevertedError`. Throws
 * `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export async function uninstallPlugin(
  client: OperationClient,
  parameters: uninstallPlugin.Parameters,
): Promise<uninstallPlugin.ReturnType> {
  const { pluginAddress, manifest, forceUninstall, callbackGasLimit, pluginUninstallData, ...options } = parameters
  const account = requireAccount(client, options, 'uninstallPlugin')
  const config = { manifest, forceUninstall, callbackGasLimit }
  const callData = encodeUninstallPlugin({ pluginAddress, ...config, pluginUninstallData })
  return sendCallData(client, { ...options, account, callData })
}
