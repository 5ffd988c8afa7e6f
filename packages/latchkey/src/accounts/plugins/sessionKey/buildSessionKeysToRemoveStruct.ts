import type { Address, Client, Hex } from 'viem'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import type { PluginAddressParameter } from '../callPlugin.ts'
import type { ModularAccountParameter } from '../loupe/callLoupe.ts'
import { findPredecessor } from './findPredecessor.ts'

export declare namespace buildSessionKeysToRemoveStruct {
  type Parameters = ModularAccountParameter & PluginAddressParameter & { keys: readonly Address[] }
  type ReturnType = { sessionKey: Address; predecessor: Hex }[]
  type ErrorType = BaseError
}

/** Several session keys, each with the entry before it in the plugin's list. Throws `SESSION_KEY_NOT_FOUND`. */
export async function buildSessionKeysToRemoveStruct(
  client: Client,
  { keys, ...where }: buildSessionKeysToRemoveStruct.Parameters,
): Promise<buildSessionKeysToRemoveStruct.ReturnType> {
  const find = async (sessionKey: Address) => ({
    sessionKey,
    predecessor: await findPredecessor(client, { ...where, key: sessionKey }),
  })
  return Promise.all(keys.map(find))
}
