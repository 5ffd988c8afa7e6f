import type { OperationClient } from '../actions/OperationClient.ts'
import { installPlugin } from './installPlugin.ts'
import { uninstallPlugin } from './uninstallPlugin.ts'

export type PluginManagerActions = {
  installPlugin(parameters: installPlugin.Parameters): Promise<installPlugin.ReturnType>
  uninstallPlugin(parameters: uninstallPlugin.Parameters): Promise<uninstallPlugin.ReturnType>
}

/**
 * Returns the functions that install and uninstall plugins as methods, for `client.extend`.
 *
 * @example
 * ```ts
 * import { getPluginAddress, pluginManagerActions } from 'latchkey/accounts'
 * import { createBundlerClient } from 'viem/account-abstraction'
 * import { bundlerTransport, modularAccount, publicClient } from './config.ts'
 *
 * const bundler = createBundlerClient({ account: modularAccount, client: publicClient, transport: bundlerTransport })
 * const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin' })
 * await bundler.extend(pluginManagerActions).uninstallPlugin({ pluginAddress })
 * ```
 */
export function pluginManagerActions(client: OperationClient): PluginManagerActions {
  return {
    installPlugin: (parameters) => installPlugin(client, parameters),
    uninstallPlugin: (parameters) => uninstallPlugin(client, parameters),
  }
}
