import { type OperationClient, requireAccount } from '../../actions/OperationClient.ts'
import { addSessionKey, removeSessionKey, rotateSessionKey, updateSessionKeyPermissions } from './changeSessionKeys.ts'
import { encodeExecuteWithSessionKey, executeWithSessionKey } from './executeWithSessionKey.ts'
import { getSessionKeyPermissions } from './getSessionKeyPermissions.ts'
import { installSessionKeyPlugin } from './installSessionKeyPlugin.ts'
import { buildSessionKeysToRemoveStruct, getAccountSessionKeys, isAccountSessionKey } from './readSessionKeys.ts'

export type SessionKeyPluginActions = {
  installSessionKeyPlugin(parameters?: installSessionKeyPlugin.Parameters): Promise<installSessionKeyPlugin.ReturnType>
  addSessionKey(parameters: addSessionKey.Parameters): Promise<addSessionKey.ReturnType>
  removeSessionKey(parameters: removeSessionKey.Parameters): Promise<removeSessionKey.ReturnType>
  rotateSessionKey(parameters: rotateSessionKey.Parameters): Promise<rotateSessionKey.ReturnType>
  updateSessionKeyPermissions(
    parameters: updateSessionKeyPermissions.Parameters,
  ): Promise<updateSessionKeyPermissions.ReturnType>
  executeWithSessionKey(parameters: executeWithSessionKey.Parameters): Promise<executeWithSessionKey.ReturnType>
  encodeExecuteWithSessionKey(
    parameters: encodeExecuteWithSessionKey.Parameters,
  ): encodeExecuteWithSessionKey.ReturnType
  getAccountSessionKeys(parameters?: getAccountSessionKeys.Parameters): Promise<getAccountSessionKeys.ReturnType>
  isAccountSessionKey(parameters: isAccountSessionKey.Parameters): Promise<isAccountSessionKey.ReturnType>
  getSessionKeyPermissions(
    parameters: getSessionKeyPermissions.Parameters,
  ): Promise<getSessionKeyPermissions.ReturnType>
  buildSessionKeysToRemoveStruct(
    parameters: buildSessionKeysToRemoveStruct.Parameters,
  ): Promise<buildSessionKeysToRemoveStruct.ReturnType>
}

/**
 * Returns the functions of the SessionKeyPlugin, for owners and for session keys, as methods for `client.extend`.
 *
 * @example
 * ```ts
 * import { sessionKeyPluginActions } from 'latchkey/accounts'
 * import { createBundlerClient } from 'viem/account-abstraction'
 * import { bundlerTransport, modularAccount, publicClient } from './config.ts'
 *
 * const bundler = createBundlerClient({ account: modularAccount, client: publicClient, transport: bundlerTransport })
 * const keys = await bundler.extend(sessionKeyPluginActions).getAccountSessionKeys()
 * console.log(keys)
 * ```
 */
export function sessionKeyPluginActions(client: OperationClient): SessionKeyPluginActions {
  return {
    installSessionKeyPlugin: (parameters) => installSessionKeyPlugin(client, parameters),
    addSessionKey: (parameters) => addSessionKey(client, parameters),
    removeSessionKey: (parameters) => removeSessionKey(client, parameters),
    rotateSessionKey: (parameters) => rotateSessionKey(client, parameters),
    updateSessionKeyPermissions: (parameters) => updateSessionKeyPermissions(client, parameters),
    executeWithSessionKey: (parameters) => executeWithSessionKey(client, parameters),
    encodeExecuteWithSessionKey,
    getAccountSessionKeys: async (parameters) => {
      const { client: reader, address } = requireAccount(client, {}, 'getAccountSessionKeys')
      return getAccountSessionKeys(reader, { account: address, ...parameters })
    },
    isAccountSessionKey: async (parameters) => {
      const { client: reader, address } = requireAccount(client, {}, 'isAccountSessionKey')
      return isAccountSessionKey(reader, { account: address, ...parameters })
    },
    getSessionKeyPermissions: async (parameters) => {
      const { client: reader, address } = requireAccount(client, {}, 'getSessionKeyPermissions')
      return getSessionKeyPermissions(reader, { account: address, ...parameters })
    },
    buildSessionKeysToRemoveStruct: async (parameters) => {
      const { client: reader, address } = requireAccount(client, {}, 'buildSessionKeysToRemoveStruct')
      return buildSessionKeysToRemoveStruct(reader, { account: address, ...parameters })
    },
  }
}
