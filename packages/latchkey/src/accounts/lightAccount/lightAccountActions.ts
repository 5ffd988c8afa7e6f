import { type AccountReads, accountReads } from '../actions/accountReads.ts'
import { type OperationClient, requireAccount } from '../actions/OperationClient.ts'
import { transferOwnership } from '../actions/transferOwnership.ts'
import { upgradeAccount } from '../actions/upgradeAccount.ts'
import { readOwner } from '../reads/readOwners.ts'

export type LightAccountActions = AccountReads & {
  transferOwnership(parameters: transferOwnership.Parameters): Promise<transferOwnership.ReturnType>
  upgradeAccount(parameters: upgradeAccount.Parameters): Promise<upgradeAccount.ReturnType>
  readOwner(): Promise<readOwner.ReturnType>
}

/**
 * Returns the actions of a LightAccount, for `client.extend`.
 *
 * @example
 * ```ts
 * import { lightAccountActions } from 'latchkey/accounts'
 * import { account, bundlerTransport, publicClient } from './config.ts'
 * import { createBundlerClient } from 'viem/account-abstraction'
 *
 * const bundler = createBundlerClient({ account, client: publicClient, transport: bundlerTransport })
 * const owner = await bundler.extend(lightAccountActions).readOwner()
 * console.log(owner)
 * ```
 */
export function lightAccountActions(client: OperationClient): LightAccountActions {
  return {
    ...accountReads(client),
    transferOwnership: (parameters) => transferOwnership(client, parameters),
    upgradeAccount: (parameters) => upgradeAccount(client, parameters),
    readOwner: async () => {
      const { client: reader, address } = requireAccount(client, {}, 'readOwner')
      return readOwner(reader, { address })
    },
  }
}
