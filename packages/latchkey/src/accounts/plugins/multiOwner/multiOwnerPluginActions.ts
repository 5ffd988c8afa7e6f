import { encodeFunctionData, type Hex } from 'viem'
import { requireBytes, requireExactBytes } from '../../../core/arguments.ts'
import { type AccountReads, accountReads } from '../../actions/accountReads.ts'
import type { OperationClient } from '../../actions/OperationClient.ts'
import { encodeUpdateOwners } from '../../actions/updateOwners.ts'
import { readerOf } from '../readerOf.ts'
import { installMultiOwnerPlugin } from './installMultiOwnerPlugin.ts'
import { isOwnerOf } from './isOwnerOf.ts'
import { multiOwnerPluginAbi as abi } from './multiOwnerPluginAbi.ts'
import { ownersOf } from './ownersOf.ts'
import { updatePluginOwners } from './updatePluginOwners.ts'

export type MultiOwnerPluginActions = AccountReads & {
  installMultiOwnerPlugin(parameters: installMultiOwnerPlugin.Parameters): Promise<installMultiOwnerPlugin.ReturnType>
  updateOwners(parameters: updatePluginOwners.Parameters): Promise<updatePluginOwners.ReturnType>
  /** Call data of `updateOwners`. */
  encodeUpdateOwners(parameters: Pick<updatePluginOwners.Parameters, 'args'>): ReturnType<typeof encodeUpdateOwners>
  /** Call data of the account's `eip712Domain` (ERC-5267). */
  encodeEip712Domain(): Hex
  /** Call data of the account's `isValidSignature` (ERC-1271): a digest of 32 bytes, and the signature. */
  encodeIsValidSignature(parameters: { args: readonly [digest: Hex, signature: Hex] }): Hex
  ownersOf(parameters?: ownersOf.Parameters): Promise<ownersOf.ReturnType>
  /** The documented name of `ownersOf`. */
  readOwners(parameters?: ownersOf.Parameters): Promise<ownersOf.ReturnType>
  isOwnerOf(parameters: isOwnerOf.Parameters): Promise<isOwnerOf.ReturnType>
}

/** What the client of an account with a MultiOwnerPlugin does, for `client.extend(multiOwnerPluginActions)`. */
export function multiOwnerPluginActions(client: OperationClient): MultiOwnerPluginActions {
  const readOwners: MultiOwnerPluginActions['readOwners'] = async (parameters) => {
    const [reader, of] = readerOf(client, 'readOwners')
    return ownersOf(reader, { ...of, ...parameters })
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
      const [reader, of] = readerOf(client, 'isOwnerOf')
      return isOwnerOf(reader, { ...of, ...parameters })
    },
  }
}
