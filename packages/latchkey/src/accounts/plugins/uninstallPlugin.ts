import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from 'viem'
import { requireAddress, requireBytes, requireUint } from '../../core/arguments.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../actions/OperationClient.ts'
import { sendCallData } from '../actions/sendCallData.ts'
import { modularAccountAbi } from '../modularAccount/encoding.ts'
import { encodeManifest, type PluginManifest } from './pluginManifest.ts'

export declare namespace uninstallPlugin {
  type Parameters = SendOptions & encodeUninstallPlugin.Parameters
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Uninstalls a plugin of a modular account (ERC-6900 v0.7). Without its owner plugin, an account is unusable. The
 * account refuses to uninstall a plugin that is not installed, or on which other plugins depend (`CONTRACT_REVERTED`).
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { getPluginAddress, uninstallPlugin } from 'latchkey/accounts'
 * import { chain, modularClient } from './config.ts'
 *
 * const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin', chain })
 * const hash = await uninstallPlugin(modularClient, { pluginAddress, waitForTxn: true })
 * console.log(hash)
 * ```
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

const configParameters = /* @__PURE__ */ parseAbiParameters([
  'UninstallPluginConfig config',
  'struct UninstallPluginConfig { bytes serializedManifest; bool forceUninstall; uint256 callbackGasLimit; }',
])

export declare namespace encodeUninstallPlugin {
  type Parameters = {
    pluginAddress: Address
    /** Manifest with which the plugin was installed. @default the account reads the manifest from the plugin */
    manifest?: PluginManifest | undefined
    /** Whether to uninstall even if the plugin's callback fails. @default false */
    forceUninstall?: boolean | undefined
    /** Gas limit of the callback. 0 means no limit. @default 0n */
    callbackGasLimit?: bigint | undefined
    /** Data for the plugin's uninstall callback. @default '0x' */
    pluginUninstallData?: Hex | undefined
  }
  type ReturnType = Hex
}

/**
 * Encodes the call data of a modular account that uninstalls a plugin (ERC-6900 v0.7).
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { encodeUninstallPlugin, getPluginAddress } from 'latchkey/accounts'
 *
 * const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin' })
 * const callData = encodeUninstallPlugin({ pluginAddress, forceUninstall: true })
 * console.log(callData)
 * ```
 */
export function encodeUninstallPlugin(parameters: encodeUninstallPlugin.Parameters): encodeUninstallPlugin.ReturnType {
  const {
    pluginAddress,
    manifest,
    forceUninstall = false,
    callbackGasLimit = 0n,
    pluginUninstallData = '0x',
  } = parameters
  const isPlain = !manifest && !forceUninstall && callbackGasLimit === 0n
  const serializedManifest = manifest ? encodeManifest(manifest) : '0x'
  requireUint('The gas limit of a callback', callbackGasLimit, 256)
  const config = { serializedManifest, forceUninstall, callbackGasLimit } as const
  return encodeFunctionData({
    abi: modularAccountAbi,
    functionName: 'uninstallPlugin',
    args: [
      requireAddress(pluginAddress),
      isPlain ? '0x' : encodeAbiParameters(configParameters, [config]),
      requireBytes('What a plugin is told on removal', pluginUninstallData),
    ],
  })
}
