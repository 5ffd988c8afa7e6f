import { encodeFunctionData, type Hex } from 'viem'
import { requireBytes, requireExactBytes } from '../../core/arguments.ts'
import { type AccountReads, accountReads } from '../actions/accountReads.ts'
import { type OperationClient, requireAccount } from '../actions/OperationClient.ts'
import { encodeUpdateOwners } from '../actions/updateOwners.ts'
import {
  multiOwnerPluginAbi as abi,
  installMultiOwnerPlugin,
  isOwnerOf,
  ownersOf,
  updatePluginOwners,
} from './multiOwnerPlugin.ts'

export type MultiOwnerPluginActions = AccountReads & {
  installMultiOwnerPlugin(parameters: installMultiOwnerPlugin.Parameters): Promise<installMultiOwnerPlugin.ReturnType>
  updateOwners(parameters: updatePluginOwners.Parameters): Promise<updatePluginOwners.ReturnType>
  /** Encodes the call data of `updateOwners`. */
  encodeUpdateOwners(parameters: Pick<updatePluginOwners.Parameters, 'args'>): ReturnType<typeof encodeUpdateOwners>
  /** Encodes the call data of the account's `eip712Domain` (ERC-5267). */
  encodeEip712Domain(): Hex
  /** Encodes the call data of the account's `isValidSignature` (ERC-1271) with a 32-byte digest and a signature. */
  encodeIsValidSignature(parameters: { args: readonly [digest: Hex, signature: Hex] }): Hex
  ownersOf(parameters?: ownersOf.Parameters): Promise<ownersOf.ReturnType>
  readOwners(parameters?: ownersOf.Parameters): Promise<ownersOf.ReturnType>
  isOwnerOf(parameters: isOwnerOf.Parameters): Promise<isOwnerOf.ReturnType>
}

/**
 * Returns the functions of the MultiOwnerPlugin as methods, for `client.extend`.
 *
 * @example
 * ```ts
 * import { multiOwnerPluginActions } from 'latchkey/accounts'
 * import { createBundlerClient } from 'viem/account-abstraction'
 * import { bundlerTransport, modularAccount, publicClient } from './config.ts'
 *
 * const bundler = createBundlerClient({ account: modularAccount, client: publicClient, transport: bundlerTransport })
 * const owners = await bundler.extend(multiOwnerPluginActions).readOwners()
 * console.log(owners)
 * ```
 */
export function multiOwnerPluginActions(client: OperationClient): MultiOwnerPluginActions {
  const readOwners: MultiOwnerPluginActions['readOwners'] = async (parameters) => {
    const { client: reader, address } = requireAccount(client, {}, 'readOwners')
    return ownersOf(reader, { account: address, ...parameters })
  }
  return {
    ...accountReads(client),
    installMultiOwnerPlugin: (parameters) => installMultiOwnerPlugin(client, parameters),
    updateOwners: (parameters) => updatePluginOwners(client, parameters),
    encodeUpdateOwners: ({ args: [ownersToAdd, ownersToRemove] }) =>
      encodeUpdateOwners({ ownersToAdd, ownersToRemove }),
    encodeEip712Domain: () => encodeFunctionData({ abi, functionName: 'eip712Domain' }),
    encodeIsValidSignature: ({ args: [digest, signature] }) => {
      const args = [requireExactBytes('The digest', digest, 32), requireBytes('The signature', signature)] as const
      return encodeFunctionData({ abi, functionName: 'isValidSignature', args })
    },
    ownersOf: readOwners,
    readOwners,
    isOwnerOf: async (parameters) => {
      const { client: reader, address } = requireAccount(client, {}, 'isOwnerOf')
      return isOwnerOf(reader, { account: address, ...parameters })
    },
  }
}
