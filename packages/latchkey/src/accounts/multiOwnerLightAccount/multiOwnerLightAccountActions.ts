import { type AccountReads, accountReads } from '../actions/accountReads.ts'
import { type OperationClient, requireAccount } from '../actions/OperationClient.ts'
import { updateOwners } from '../actions/updateOwners.ts'
import { upgradeAccount } from '../actions/upgradeAccount.ts'
import { readOwners } from '../reads/readOwners.ts'

export type MultiOwnerLightAccountActions = AccountReads & {
  updateOwners(parameters: updateOwners.Parameters): Promise<updateOwners.ReturnType>
  upgradeAccount(parameters: upgradeAccount.Parameters): Promise<upgradeAccount.ReturnType>
  readOwners(): Promise<readOwners.ReturnType>
}

/**
 * Returns the actions of a MultiOwnerLightAccount, for `client.extend`.
 *
 * @example
 * ```ts
 * import { multiOwnerLightAccountActions, toMultiOwnerLightAccount } from 'latchkey/accounts'
 * import { createBundlerClient } from 'viem/account-abstraction'
 * import { bundlerTransport, owner, publicClient } from './config.ts'
 *
 * const account = await toMultiOwnerLightAccount({ client: publicClient, owner })
 * const bundler = createBundlerClient({ account, client: publicClient, transport: bundlerTransport })
 * console.log(await bundler.extend(multiOwnerLightAccountActions).readOwners())
 * ```
 */
export function multiOwnerLightAccountActions(client: OperationClient): MultiOwnerLightAccountActions {
  return {
    ...accountReads(client),
    updateOwners: (parameters) => updateOwners(client, parameters),
    upgradeAccount: (parameters) => upgradeAccount(client, parameters),
    readOwners: async () => {
      const { client: reader, address } = requireAccount(client, {}, 'readOwners')
      return readOwners(reader, { address })
    },
  }
}
