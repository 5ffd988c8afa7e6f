import type { Address, Client } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { requireAccountAddress } from '../../reads/callView.ts'
import type { PluginAddressParameter } from '../callPlugin.ts'
import type { ModularAccountParameter } from '../loupe/callLoupe.ts'
import { createPermissionReads, type GasLimit, type SpendLimit } from './createPermissionReads.ts'
import { isAccountSessionKey } from './isAccountSessionKey.ts'
import { sessionKeyNotFound } from './sessionKeyNotFound.ts'

export declare namespace getSessionKeyPermissions {
  type Parameters = ModularAccountParameter & PluginAddressParameter & { key: Address }
  type ReturnType = {
    /** 0 only those on the list, 1 all but those on the list, 2 any contract. */
    accessType: number
    /** Unix seconds; 0 is an open end. */
    timeRange: { validFrom: number; validUntil: number }
    /** Wei. Without a limit set it is a limit of 0. */
    nativeLimit: SpendLimit
    /** Wei. */
    gasLimit: GasLimit
    /** Zero where any paymaster, or none, will do. */
    requiredPaymaster: Address
  }
  type ErrorType = BaseError
}

/**
 * What a session key may do, but for the lists a plugin cannot read out. Throws `SESSION_KEY_NOT_FOUND`,
 * `ADDRESS_INVALID`.
 */
export async function getSessionKeyPermissions(
  client: Client,
  parameters: getSessionKeyPermissions.Parameters,
): Promise<getSessionKeyPermissions.ReturnType> {
  const { pluginAddress } = parameters
  const key = requireAddress(parameters.key)
  const account = requireAccountAddress(client, parameters.account)
  if (!(await isAccountSessionKey(client, { account, pluginAddress, key }))) throw sessionKeyNotFound(key, account)
  const reads = createPermissionReads(client, { account, sessionKey: key, pluginAddress })
  const [accessType, timeRange, nativeLimit, gasLimit, requiredPaymaster] = await Promise.all([
    reads.accessType(),
    reads.timeRange(),
    reads.nativeLimit(),
    reads.gasLimit(),
    reads.requiredPaymaster(),
  ])
  return { accessType, timeRange, nativeLimit, gasLimit, requiredPaymaster }
}
