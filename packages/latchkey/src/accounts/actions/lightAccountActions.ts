import { readOwner } from '../reads/readOwner.ts'
import { type AccountReads, accountReads } from './accountReads.ts'
import { accountOf, type OperationClient } from './OperationClient.ts'
import { transferOwnership } from './transferOwnership.ts'
import { upgradeAccount } from './upgradeAccount.ts'

export type LightAccountActions = AccountReads & {
  transferOwnership(parameters: transferOwnership.Parameters): Promise<transferOwnership.ReturnType>
  upgradeAccount(parameters: upgradeAccount.Parameters): Promise<upgradeAccount.ReturnType>
  readOwner(): Promise<readOwner.ReturnType>
}

/** What the client of a LightAccount does, for `client.extend(lightAccountActions)`. */
export function lightAccountActions(client: OperationClient): LightAccountActions {
  return {
    ...accountReads(client),
    transferOwnership: (parameters) => transferOwnership(client, parameters),
    upgradeAccount: (parameters) => upgradeAccount(client, parameters),
    readOwner: async () => {
      const { client: reader, address } = accountOf(client, {}, 'readOwner')
      return readOwner(reader, { address })
    },
  }
}
