import { type Address, encodeAbiParameters, type Hex } from 'viem'
import { requireAddress, requireExactBytes } from '../../../core/arguments.ts'
import { getPluginAddress } from '../../../core/chains/getPluginAddress.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import type { PluginAddressParameter } from '../callPlugin.ts'
import type { FunctionReference } from '../functionReference.ts'
import { installPlugin } from '../manager/installPlugin.ts'
import { requirePermissions } from './requirePermissions.ts'

type Keys = readonly [keys: readonly Address[], tags: readonly Hex[], permissions: readonly (readonly Hex[])[]]

export declare namespace installSessionKeyPlugin {
  type Parameters = SendOptions &
    PluginAddressParameter & {
      /** First keys, a 32-byte tag and the permissions of each. Default none. */
      args?: Keys | undefined
      /** Owner functions it builds on. Default: those of the chain's MultiOwnerPlugin. */
      dependencyOverrides?: readonly FunctionReference[] | undefined
      /** Default: that of the manifest the plugin answers now. */
      manifestHash?: Hex | undefined
    }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Installs the SessionKeyPlugin on a modular account. Throws 'missing SessionKeyPlugin address for chain {name}'
 * (`PLUGIN_NOT_FOUND`), `ARGUMENT_INVALID` where keys, tags and permissions do not fit, and what `installPlugin` throws.
 */
export async function installSessionKeyPlugin(
  client: OperationClient,
  { args = [[], [], []], pluginAddress, dependencyOverrides, ...options }: installSessionKeyPlugin.Parameters = {},
): Promise<installSessionKeyPlugin.ReturnType> {
  const { chain } = requireAccount(client, options, 'installSessionKeyPlugin').client
  return installPlugin(client, {
    ...options,
    pluginAddress: getPluginAddress({ name: 'SessionKeyPlugin', chain, address: pluginAddress }),
    pluginInitData: encodeKeys(args),
    dependencies: dependencyOverrides ?? ownerFunctions(getPluginAddress({ name: 'MultiOwnerPlugin', chain })),
  })
}

const keysParameters = [{ type: 'address[]' }, { type: 'bytes32[]' }, { type: 'bytes[][]' }] as const

function encodeKeys([keys, tags, permissions]: Keys): Hex {
  if (tags.length !== keys.length || permissions.length !== keys.length) {
    throw new BaseError('Every session key needs a tag and permissions.', {
      code: 'ARGUMENT_INVALID',
      metaMessages: [`There are ${keys.length} keys, ${tags.length} tags, ${permissions.length} lists of permissions.`],
    })
  }
  return encodeAbiParameters(keysParameters, [
    keys.map((key) => requireAddress(key)),
    tags.map((tag) => requireExactBytes('The tag', tag, 32)),
    permissions.map(requirePermissions),
  ])
}

/** In the order of the plugin's manifest: who may call as an owner, and whose operations are an owner's. */
function ownerFunctions(plugin: Address): readonly FunctionReference[] {
  return [
    { plugin, functionId: 0 },
    { plugin, functionId: 1 },
  ]
}
