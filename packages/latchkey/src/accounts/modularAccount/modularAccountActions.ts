import type { OperationClient } from '../actions/OperationClient.ts'
import { type AccountLoupeActions, accountLoupeActions } from '../plugins/accountLoupe.ts'
import { type MultiOwnerPluginActions, multiOwnerPluginActions } from '../plugins/multiOwnerPluginActions.ts'
import { type PluginManagerActions, pluginManagerActions } from '../plugins/pluginManagerActions.ts'

export type ModularAccountActions = AccountLoupeActions & PluginManagerActions & MultiOwnerPluginActions

/**
 * Returns the actions of a MultiOwnerModularAccount, for `client.extend`: plugins, installed functions, and owners.
 *
 * @example
 * ```ts
 * import { modularAccountActions } from 'latchkey/accounts'
 * import { createBundlerClient } from 'viem/account-abstraction'
 * import { bundlerTransport, modularAccount, publicClient } from './config.ts'
 *
 * const bundler = createBundlerClient({ account: modularAccount, client: publicClient, transport: bundlerTransport })
 * const plugins = await bundler.extend(modularAccountActions).getInstalledPlugins()
 * console.log(plugins)
 * ```
 */
export function modularAccountActions(client: OperationClient): ModularAccountActions {
  return { ...accountLoupeActions(client), ...pluginManagerActions(client), ...multiOwnerPluginActions(client) }
}
