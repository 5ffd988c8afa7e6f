import { type AccountReads, accountReads } from '../../actions/accountReads.ts'
import { encodeUpdateOwners } from '../../actions/encodeUpdateOwners.ts'
import { accountOf, type OperationClient } from '../../actions/OperationClient.ts'
import { installMultiOwnerPlugin } from './installMultiOwnerPlugin.ts'
import { isOwnerOf } from './isOwnerOf.ts'
import { ownersOf } from './ownersOf.ts'
import { updatePluginOwners } from './updatePluginOwners.ts'

export type MultiOwnerPluginActions = AccountReads & {
  installMultiOwnerPlugin(parameters: installMultiOwnerPlugin.Parameters): Promise<installMultiOwnerPlugin.ReturnType>
  updateOwners(parameters: updatePluginOwners.Parameters): Promise<updatePluginOwners.ReturnType>
  /** Call data of `updateOwners`. */
  encodeUpdateOwners(parameters: Pick<updatePluginOwners.Parameters, 'args'>): ReturnType<typeof encodeUpdateOwners>
  ownersOf(parameters?: ownersOf.Parameters): Promise<ownersOf.ReturnType>
  /** The documented name of `ownersOf`. */
  readOwners(parameters?: ownersOf.Parameters): Promise<ownersOf.ReturnType>
  isOwnerOf(parameters: isOwnerOf.Parameters): Promise<isOwnerOf.ReturnType>
}

/** What the client of an account with a MultiOwnerPlugin does, for `client.extend(multiOwnerPluginActions)`. */
export function multiOwnerPluginActions(client: OperationClient): MultiOwnerPluginActions {
  // A bundler answers no reads: the account's own client does.
  const readOwners: MultiOwnerPluginActions['readOwners'] = async (parameters) => {
    const { client: reader, address } = accountOf(client, {}, 'readOwners')
    return ownersOf(reader, { account: address, ...parameters })
  }
  return {
    ...accountReads(client),
    installMultiOwnerPlugin: (parameters) => installMultiOwnerPlugin(client, parameters),
    updateOwners: (parameters) => updatePluginOwners(client, parameters),
    encodeUpdateOwners: ({ args: [ownersToAdd, ownersToRemove] }) =>
      encodeUpdateOwners({ ownersToAdd, ownersToRemove }),
    ownersOf: readOwners,
    readOwners,
    isOwnerOf: async (parameters) => {
      const { client: reader, address } = accountOf(client, {}, 'isOwnerOf')
      return isOwnerOf(reader, { account: address, ...parameters })
    },
  }
}
