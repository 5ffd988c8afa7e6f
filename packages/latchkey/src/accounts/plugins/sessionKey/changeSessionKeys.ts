import { type Address, encodeFunctionData, type Hex } from 'viem'
import { requireAddress, requireExactBytes } from '../../../core/arguments.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import type { PluginAddressParameter } from '../callPlugin.ts'
import { requirePermissions } from './permissions.ts'
import { findPredecessor } from './readSessionKeys.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

export declare namespace addSessionKey {
  type Parameters = SendOptions & {
    /** Address of the key. */
    key: Address
    /** 32 bytes for the app's own use. The plugin's event contains them. */
    tag: Hex
    /** Permissions of the key: `new SessionKeyPermissionsBuilder()….encode()`. */
    permissions: readonly Hex[]
  }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Adds a session key to a modular account. The plugin refuses the zero address and an existing key
 * (`InvalidSessionKey`).
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { addSessionKey, SessionKeyPermissionsBuilder } from 'latchkey/accounts'
 * import { parseEther, zeroHash } from 'viem'
 * import { modularClient, owner } from './config.ts'
 *
 * const limit = { spendLimit: parseEther('0.1'), refreshInterval: 86_400 }
 * const permissions = new SessionKeyPermissionsBuilder().setNativeTokenSpendLimit(limit).encode()
 * await addSessionKey(modularClient, { key: owner.address, tag: zeroHash, permissions })
 * ```
 */
export async function addSessionKey(
  client: OperationClient,
  { key, tag, permissions, ...options }: addSessionKey.Parameters,
): Promise<addSessionKey.ReturnType> {
  const account = requireAccount(client, options, 'addSessionKey')
  const args = [requireAddress(key), requireExactBytes('The tag', tag, 32), requirePermissions(permissions)] as const
  const callData = encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'addSessionKey', args })
  return sendCallData(client, { ...options, account, callData })
}

export declare namespace updateSessionKeyPermissions {
  type Parameters = SendOptions & {
    key: Address
    /**
     * Changed permissions: `new SessionKeyPermissionsBuilder()….encode()`. Omitted permissions do not change, except
     * the list's type, which is always set.
     */
    permissions: readonly Hex[]
  }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Changes the permissions of a session key. The plugin refuses an unknown key (`InvalidSessionKey`).
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { SessionKeyPermissionsBuilder, updateSessionKeyPermissions } from 'latchkey/accounts'
 * import { modularClient, owner } from './config.ts'
 *
 * const range = { validFrom: 0, validUntil: Math.floor(Date.now() / 1000) + 3_600 }
 * const permissions = new SessionKeyPermissionsBuilder().setTimeRange(range).encode()
 * await updateSessionKeyPermissions(modularClient, { key: owner.address, permissions })
 * ```
 */
export async function updateSessionKeyPermissions(
  client: OperationClient,
  { key, permissions, ...options }: updateSessionKeyPermissions.Parameters,
): Promise<updateSessionKeyPermissions.ReturnType> {
  const account = requireAccount(client, options, 'updateSessionKeyPermissions')
  const args = [requireAddress(key), requirePermissions(permissions)] as const
  const callData = encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'updateKeyPermissions', args })
  return sendCallData(client, { ...options, account, callData })
}

export declare namespace rotateSessionKey {
  type Parameters = SendOptions & PluginAddressParameter & { oldKey: Address; newKey: Address }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Replaces a session key with another key. The new key has the same permissions and remaining limits.
 *
 * @throws `SESSION_KEY_NOT_FOUND`, `PLUGIN_NOT_FOUND`, `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`,
 * `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { rotateSessionKey } from 'latchkey/accounts'
 * import { modularClient, owner } from './config.ts'
 *
 * const newKey = '0x1111111111111111111111111111111111111111'
 * await rotateSessionKey(modularClient, { oldKey: owner.address, newKey })
 * ```
 */
export async function rotateSessionKey(
  client: OperationClient,
  { oldKey, newKey, pluginAddress, ...options }: rotateSessionKey.Parameters,
): Promise<rotateSessionKey.ReturnType> {
  const account = requireAccount(client, options, 'rotateSessionKey')
  const predecessor = await findPredecessor(account.client, { account: account.address, pluginAddress, key: oldKey })
  const args = [requireAddress(oldKey), predecessor, requireAddress(newKey)] as const
  const callData = encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'rotateSessionKey', args })
  return sendCallData(client, { ...options, account, callData })
}

export declare namespace removeSessionKey {
  type Parameters = SendOptions & PluginAddressParameter & { key: Address }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Removes a session key and its permissions.
 *
 * @throws `SESSION_KEY_NOT_FOUND`, `PLUGIN_NOT_FOUND`, `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`,
 * `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { removeSessionKey } from 'latchkey/accounts'
 * import { modularClient, owner } from './config.ts'
 *
 * const hash = await removeSessionKey(modularClient, { key: owner.address, waitForTxn: true })
 * console.log(hash)
 * ```
 */
export async function removeSessionKey(
  client: OperationClient,
  { key, pluginAddress, ...options }: removeSessionKey.Parameters,
): Promise<removeSessionKey.ReturnType> {
  const account = requireAccount(client, options, 'removeSessionKey')
  const predecessor = await findPredecessor(account.client, { account: account.address, pluginAddress, key })
  const args = [requireAddress(key), predecessor] as const
  const callData = encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'removeSessionKey', args })
  return sendCallData(client, { ...options, account, callData })
}
