import type { OperationClient } from '../../actions/OperationClient.ts'
import { installPlugin } from './installPlugin.ts'
import { uninstallPlugin } from './uninstallPlugin.ts'

export type PluginManagerActions = {
  installPlugin(parameters: installPlugin.Parameters): Promise<installPlugin.ReturnType>
  uninstallPlugin(parameters: uninstallPlugin.Parameters): Promise<uninstallPlugin.ReturnType>
}

/** What the client of a modular account does with any plugin, for `client.extend(pluginManagerActions)`. */
export function pluginManagerActions(client: OperationClient): PluginManagerActions {
  return {
    installPlugin: (parameters) => installPlugin(client, parameters),
    uninstallPlugin: (parameters) => uninstallPlugin(client, parameters),
  }
}
