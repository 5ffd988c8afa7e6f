import { readOwners } from '../reads/readOwners.ts'
import { type AccountReads, accountReads } from './accountReads.ts'
import { accountOf, type OperationClient } from './OperationClient.ts'
import { updateOwners } from './updateOwners.ts'
import { upgradeAccount } from './upgradeAccount.ts'

export type MultiOwnerLightAccountActions = AccountReads & {
  updateOwners(parameters: updateOwners.Parameters): Promise<updateOwners.ReturnType>
  upgradeAccount(parameters: upgradeAccount.Parameters): Promise<upgradeAccount.ReturnType>
  readOwners(): Promise<readOwners.ReturnType>
}

/** What the client of a MultiOwnerLightAccount does, for `client.extend(multiOwnerLightAccountActions)`. */
export function multiOwnerLightAccountActions(client: OperationClient): MultiOwnerLightAccountActions {
  return {
    ...accountReads(client),
    updateOwners: (parameters) => updateOwners(client, parameters),
    upgradeAccount: (parameters) => upgradeAccount(client, parameters),
    readOwners: async () => {
      const { client: reader, address } = accountOf(client, {}, 'readOwners')
      return readOwners(reader, { address })
    },
  }
}
