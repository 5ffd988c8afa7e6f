import type { OperationClient } from '../../actions/OperationClient.ts'
import { readerOf } from '../readerOf.ts'
import { addSessionKey } from './addSessionKey.ts'
import { buildSessionKeysToRemoveStruct } from './buildSessionKeysToRemoveStruct.ts'
import { executeWithSessionKey } from './executeWithSessionKey.ts'
import { getAccountSessionKeys } from './getAccountSessionKeys.ts'
import { getSessionKeyPermissions } from './getSessionKeyPermissions.ts'
import { installSessionKeyPlugin } from './installSessionKeyPlugin.ts'
import { isAccountSessionKey } from './isAccountSessionKey.ts'
import { removeSessionKey } from './removeSessionKey.ts'
import { rotateSessionKey } from './rotateSessionKey.ts'
import { updateSessionKeyPermissions } from './updateSessionKeyPermissions.ts'

export type SessionKeyPluginActions = {
  installSessionKeyPlugin(parameters?: installSessionKeyPlugin.Parameters): Promise<installSessionKeyPlugin.ReturnType>
  addSessionKey(parameters: addSessionKey.Parameters): Promise<addSessionKey.ReturnType>
  removeSessionKey(parameters: removeSessionKey.Parameters): Promise<removeSessionKey.ReturnType>
  rotateSessionKey(parameters: rotateSessionKey.Parameters): Promise<rotateSessionKey.ReturnType>
  updateSessionKeyPermissions(
    parameters: updateSessionKeyPermissions.Parameters,
  ): Promise<updateSessionKeyPermissions.ReturnType>
  executeWithSessionKey(parameters: executeWithSessionKey.Parameters): Promise<executeWithSessionKey.ReturnType>
  getAccountSessionKeys(parameters?: getAccountSessionKeys.Parameters): Promise<getAccountSessionKeys.ReturnType>
  isAccountSessionKey(parameters: isAccountSessionKey.Parameters): Promise<isAccountSessionKey.ReturnType>
  getSessionKeyPermissions(
    parameters: getSessionKeyPermissions.Parameters,
  ): Promise<getSessionKeyPermissions.ReturnType>
  buildSessionKeysToRemoveStruct(
    parameters: buildSessionKeysToRemoveStruct.Parameters,
  ): Promise<buildSessionKeysToRemoveStruct.ReturnType>
}

/** What owners do with session keys, and what such a key does, for `client.extend(sessionKeyPluginActions)`. */
export function sessionKeyPluginActions(client: OperationClient): SessionKeyPluginActions {
  return {
    installSessionKeyPlugin: (parameters) => installSessionKeyPlugin(client, parameters),
    addSessionKey: (parameters) => addSessionKey(client, parameters),
    removeSessionKey: (parameters) => removeSessionKey(client, parameters),
    rotateSessionKey: (parameters) => rotateSessionKey(client, parameters),
    updateSessionKeyPermissions: (parameters) => updateSessionKeyPermissions(client, parameters),
    executeWithSessionKey: (parameters) => executeWithSessionKey(client, parameters),
    getAccountSessionKeys: async (parameters) => {
      const [reader, of] = readerOf(client, 'getAccountSessionKeys')
      return getAccountSessionKeys(reader, { ...of, ...parameters })
    },
    isAccountSessionKey: async (parameters) => {
      const [reader, of] = readerOf(client, 'isAccountSessionKey')
      return isAccountSessionKey(reader, { ...of, ...parameters })
    },
    getSessionKeyPermissions: async (parameters) => {
      const [reader, of] = readerOf(client, 'getSessionKeyPermissions')
      return getSessionKeyPermissions(reader, { ...of, ...parameters })
    },
    buildSessionKeysToRemoveStruct: async (parameters) => {
      const [reader, of] = readerOf(client, 'buildSessionKeysToRemoveStruct')
      return buildSessionKeysToRemoveStruct(reader, { ...of, ...parameters })
    },
  }
}
