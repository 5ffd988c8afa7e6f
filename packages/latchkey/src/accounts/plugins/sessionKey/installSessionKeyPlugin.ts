import { type Address, encodeAbiParameters, type Hex } from 'viem'
import { requireAddress, requireExactBytes } from '../../../core/arguments.ts'
import { getPluginAddress } from '../../../core/chains/getPluginAddress.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import type { PluginAddressParameter } from '../callPlugin.ts'
import type { FunctionReference } from '../functionReference.ts'
import { installPlugin } from '../installPlugin.ts'
import { requirePermissions } from './permissions.ts'

type Keys = readonly [keys: readonly Address[], tags: readonly Hex[], permissions: readonly (readonly Hex[])[]]

export declare namespace installSessionKeyPlugin {
  type Parameters = SendOptions &
    PluginAddressParameter & {
      /** Initial keys, each with a 32-byte tag and permissions. @default none */
      args?: Keys | undefined
      /** Owner functions that the plugin uses. @default those of the chain's MultiOwnerPlugin */
      dependencyOverrides?: readonly FunctionReference[] | undefined
      /** @default the hash of the plugin's current manifest */
      manifestHash?: Hex | undefined
    }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Installs the SessionKeyPlugin on a modular account.
 *
 * @throws `PLUGIN_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`,
 * `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { installSessionKeyPlugin, SessionKeyPermissionsBuilder } from 'latchkey/accounts'
 * import { zeroHash } from 'viem'
 * import { modularClient, owner } from './config.ts'
 *
 * const permissions = new SessionKeyPermissionsBuilder().encode()
 * await installSessionKeyPlugin(modularClient, { args: [[owner.address], [zeroHash], [permissions]] })
 * ```
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
    dependencies: dependencyOverrides ?? listOwnerFunctions(getPluginAddress({ name: 'MultiOwnerPlugin', chain })),
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

/**
 * Returns the owner functions in the order of the plugin's manifest: the validation of owners' direct calls, then that
 * of owners' user operations.
 */
function listOwnerFunctions(plugin: Address): readonly FunctionReference[] {
  return [
    { plugin, functionId: 0 },
    { plugin, functionId: 1 },
  ]
}
