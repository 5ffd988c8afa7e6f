import { type Address, type Client, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { requireAccountAddress } from '../../reads/callView.ts'
import { callPlugin, type ModularAccountParameter, type PluginAddressParameter } from '../callPlugin.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

export declare namespace getAccountSessionKeys {
  type Parameters = ModularAccountParameter & PluginAddressParameter
  /** EIP-55 addresses. Empty if the account does not have the SessionKeyPlugin. */
  type ReturnType = readonly Address[]
}

/**
 * Returns the session keys of a modular account, newest first.
 *
 * @throws `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getAccountSessionKeys } from 'latchkey/accounts'
 * import { modularAccount, publicClient } from './config.ts'
 *
 * const keys = await getAccountSessionKeys(publicClient, { account: modularAccount.address })
 * console.log(keys)
 * ```
 */
export async function getAccountSessionKeys(
  client: Client,
  parameters: getAccountSessionKeys.Parameters = {},
): Promise<getAccountSessionKeys.ReturnType> {
  const args = [requireAccountAddress(client, parameters.account)] as const
  const call = { abi: sessionKeyPluginAbi, functionName: 'sessionKeysOf' } as const
  const data = await callPlugin(client, 'SessionKeyPlugin', {
    ...parameters,
    data: encodeFunctionData({ ...call, args }),
  })
  return data ? decodeFunctionResult({ ...call, data }) : []
}

export declare namespace isAccountSessionKey {
  type Parameters = ModularAccountParameter & PluginAddressParameter & { key: Address }
  type ReturnType = boolean
}

/**
 * Checks whether an address is a session key of a modular account.
 *
 * @throws `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { isAccountSessionKey } from 'latchkey/accounts'
 * import { modularAccount, owner, publicClient } from './config.ts'
 *
 * const account = modularAccount.address
 * console.log(await isAccountSessionKey(publicClient, { account, key: owner.address }))
 * ```
 */
export async function isAccountSessionKey(
  client: Client,
  parameters: isAccountSessionKey.Parameters,
): Promise<isAccountSessionKey.ReturnType> {
  const args = [requireAccountAddress(client, parameters.account), requireAddress(parameters.key)] as const
  const call = { abi: sessionKeyPluginAbi, functionName: 'isSessionKeyOf' } as const
  const data = await callPlugin(client, 'SessionKeyPlugin', {
    ...parameters,
    data: encodeFunctionData({ ...call, args }),
  })
  return data ? decodeFunctionResult({ ...call, data }) : false
}

export declare namespace buildSessionKeysToRemoveStruct {
  type Parameters = ModularAccountParameter & PluginAddressParameter & { keys: readonly Address[] }
  type ReturnType = { sessionKey: Address; predecessor: Hex }[]
}

/**
 * Returns session keys with their predecessors in the plugin's linked list, which the plugin requires for removing
 * keys.
 *
 * @throws `SESSION_KEY_NOT_FOUND`, `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { buildSessionKeysToRemoveStruct } from 'latchkey/accounts'
 * import { modularAccount, owner, publicClient } from './config.ts'
 *
 * const account = modularAccount.address
 * console.log(await buildSessionKeysToRemoveStruct(publicClient, { account, keys: [owner.address] }))
 * ```
 */
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

/**
 * Returns the predecessor of a session key in the plugin's linked list of an account's keys.
 *
 * @throws `SESSION_KEY_NOT_FOUND`, `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 */
export async function findPredecessor(
  client: Client,
  parameters: ModularAccountParameter & PluginAddressParameter & { key: Address },
): Promise<Hex> {
  const key = requireAddress(parameters.key)
  const account = requireAccountAddress(client, parameters.account)
  const call = { abi: sessionKeyPluginAbi, functionName: 'findPredecessor' } as const
  const data = encodeFunctionData({ ...call, args: [account, key] })
  const result = await callPlugin(client, 'SessionKeyPlugin', { ...parameters, data })
  if (result) return decodeFunctionResult({ ...call, data: result })
  throw keyNotFoundError(key, account)
}

export function keyNotFoundError(key: Address, account: Address): BaseError {
  return new BaseError(`${key} is not a session key of ${account}.`, {
    code: 'SESSION_KEY_NOT_FOUND',
    metaMessages: ['`getAccountSessionKeys` lists those there are.'],
  })
}
