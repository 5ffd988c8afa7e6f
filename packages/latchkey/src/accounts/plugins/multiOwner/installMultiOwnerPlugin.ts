import type { Address, Hex } from 'viem'
import { getPluginAddress } from '../../../core/chains/getPluginAddress.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { listOwners } from '../../listOwners.ts'
import { encodeOwners } from '../../modularAccount/encodeOwners.ts'
import type { PluginAddressParameter } from '../callPlugin.ts'
import { installPlugin } from '../manager/installPlugin.ts'

export declare namespace installMultiOwnerPlugin {
  type Parameters = SendOptions &
    PluginAddressParameter & {
      /** The owners. Any order and letter case; each counts once, the zero address not at all. */
      args: readonly [owners: readonly Address[]]
      /** Default: that of the manifest the plugin answers now. */
      manifestHash?: Hex | undefined
    }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Installs the MultiOwnerPlugin on a modular account that has none. Throws 'missing MultiOwnerPlugin address for chain
 * {name}' (`PLUGIN_NOT_FOUND`), `OWNERS_INVALID`, and what `installPlugin` throws.
 */
export async function installMultiOwnerPlugin(
  client: OperationClient,
  { args: [owners], pluginAddress, ...options }: installMultiOwnerPlugin.Parameters,
): Promise<installMultiOwnerPlugin.ReturnType> {
  const { chain } = requireAccount(client, options, 'installMultiOwnerPlugin').client
  return installPlugin(client, {
    ...options,
    pluginAddress: getPluginAddress({ name: 'MultiOwnerPlugin', chain, address: pluginAddress }),
    pluginInitData: encodeOwners(listOwners(owners)),
  })
}
