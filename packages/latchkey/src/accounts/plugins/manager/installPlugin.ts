import type { Hex } from 'viem'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import { getPluginManifest } from '../manifest/getPluginManifest.ts'
import { hashManifest } from '../manifest/hashManifest.ts'
import { encodeInstallPlugin } from './encodeInstallPlugin.ts'

export declare namespace installPlugin {
  type Parameters = SendOptions &
    Omit<encodeInstallPlugin.Parameters, 'manifestHash'> & {
      /** Default: that of the manifest the plugin answers now. Name it to install only what you have read. */
      manifestHash?: Hex | undefined
    }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Installs a plugin on a modular account (ERC-6900 v0.7). The account refuses one that is installed, a manifest of
 * another hash, missing dependencies, and one whose callback fails: a `ContractRevertedError`. Throws `PLUGIN_NOT_FOUND`,
 * `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export async function installPlugin(
  client: OperationClient,
  parameters: installPlugin.Parameters,
): Promise<installPlugin.ReturnType> {
  const { pluginAddress, manifestHash, pluginInitData, dependencies, ...options } = parameters
  const account = requireAccount(client, options, 'installPlugin')
  const hash = manifestHash ?? hashManifest(await getPluginManifest(account.client, { pluginAddress }))
  const callData = encodeInstallPlugin({ pluginAddress, manifestHash: hash, pluginInitData, dependencies })
  return sendCallData(client, { ...options, account, callData })
}
