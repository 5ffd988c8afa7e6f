import type { OperationClient } from '../actions/OperationClient.ts'
import { type AccountLoupeActions, accountLoupeActions } from '../plugins/loupe/accountLoupeActions.ts'
import { type PluginManagerActions, pluginManagerActions } from '../plugins/manager/pluginManagerActions.ts'
import { type MultiOwnerPluginActions, multiOwnerPluginActions } from '../plugins/multiOwner/multiOwnerPluginActions.ts'

export type ModularAccountActions = AccountLoupeActions & PluginManagerActions & MultiOwnerPluginActions

/** What the client of any MultiOwnerModularAccount does, for `client.extend(modularAccountActions)`. */
export function modularAccountActions(client: OperationClient): ModularAccountActions {
  return { ...accountLoupeActions(client), ...pluginManagerActions(client), ...multiOwnerPluginActions(client) }
}
