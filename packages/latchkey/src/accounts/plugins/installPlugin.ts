import { type Address, encodeFunctionData, type Hex } from 'viem'
import { requireAddress, requireBytes, requireExactBytes } from '../../core/arguments.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../actions/OperationClient.ts'
import { sendCallData } from '../actions/sendCallData.ts'
import { modularAccountAbi } from '../modularAccount/encoding.ts'
import { encodeFunctionReference, type FunctionReference } from './functionReference.ts'
import { getPluginManifest, hashManifest } from './pluginManifest.ts'

export declare namespace installPlugin {
  type Parameters = SendOptions &
    Omit<encodeInstallPlugin.Parameters, 'manifestHash'> & {
      /**
       * Hash of a manifest that you have reviewed. The account installs no plugin with another manifest.
       *
       * @default the hash of the plugin's current manifest
       */
      manifestHash?: Hex | undefined
    }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Installs a plugin on a modular account (ERC-6900 v0.7). The account refuses a plugin that is already installed, a
 * manifest with another hash, missing dependencies, and a failing callback (`CONTRACT_REVERTED`).
 *
 * @throws `PLUGIN_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`,
 * `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { getPluginAddress, installPlugin } from 'latchkey/accounts'
 * import { chain, modularClient } from './config.ts'
 *
 * const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin', chain })
 * const hash = await installPlugin(modularClient, { pluginAddress, waitForTxn: true })
 * console.log(hash)
 * ```
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

export declare namespace encodeInstallPlugin {
  type Parameters = {
    pluginAddress: Address
    /** keccak256 of the encoded manifest; see `hashManifest`. */
    manifestHash: Hex
    /** Data for the plugin's install callback. @default '0x' */
    pluginInitData?: Hex | undefined
    /** Functions of other plugins that this plugin uses, in the order of its manifest. @default none */
    dependencies?: readonly FunctionReference[] | undefined
  }
  type ReturnType = Hex
}

/**
 * Encodes the call data of a modular account that installs a plugin (ERC-6900 v0.7).
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `USER_OPERATION_INVALID`.
 *
 * @example
 * ```ts
 * import { encodeInstallPlugin, getPluginAddress } from 'latchkey/accounts'
 * import { keccak256, toHex } from 'viem'
 *
 * const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin' })
 * const callData = encodeInstallPlugin({ pluginAddress, manifestHash: keccak256(toHex('manifest')) })
 * console.log(callData)
 * ```
 */
export function encodeInstallPlugin(parameters: encodeInstallPlugin.Parameters): encodeInstallPlugin.ReturnType {
  const { pluginAddress, manifestHash, pluginInitData = '0x', dependencies = [] } = parameters
  return encodeFunctionData({
    abi: modularAccountAbi,
    functionName: 'installPlugin',
    args: [
      requireAddress(pluginAddress),
      requireExactBytes('The hash of a manifest', manifestHash, 32),
      requireBytes('What a plugin is told on installation', pluginInitData),
      dependencies.map(encodeFunctionReference),
    ],
  })
}
