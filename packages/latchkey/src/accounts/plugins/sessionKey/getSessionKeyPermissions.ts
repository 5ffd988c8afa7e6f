import type { Address, Client } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import { requireAccountAddress } from '../../reads/callView.ts'
import type { ModularAccountParameter, PluginAddressParameter } from '../callPlugin.ts'
import { createPermissionReads, type GasLimit, type SpendLimit } from './createPermissionReads.ts'
import { isAccountSessionKey, keyNotFoundError } from './readSessionKeys.ts'

export declare namespace getSessionKeyPermissions {
  type Parameters = ModularAccountParameter &
    PluginAddressParameter & {
      key: Address
      /** Tokens for which to read the limits. @default none */
      tokens?: readonly Address[] | undefined
    }
  type ReturnType = {
    /** Type of the list; see `sessionKeyAccessListType`. */
    accessType: number
    /** Time range in Unix seconds. 0 means no limit. */
    timeRange: { validFrom: number; validUntil: number }
    /** Limit in wei; 0 if no limit was set. */
    nativeLimit: SpendLimit
    /** Limits of `tokens`, in the same order and in token units. */
    tokenLimits: readonly SpendLimit[]
    /** Limit in wei. */
    gasLimit: GasLimit
    /** Required paymaster; the zero address if there is none. */
    requiredPaymaster: Address
  }
}

/**
 * Returns the permissions of a session key. The plugin cannot list contracts and tokens, so only the limits of the
 * given tokens are returned.
 *
 * @throws `SESSION_KEY_NOT_FOUND`, `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getSessionKeyPermissions } from 'latchkey/accounts'
 * import { modularAccount, owner, publicClient } from './config.ts'
 *
 * const account = modularAccount.address
 * const { nativeLimit } = await getSessionKeyPermissions(publicClient, { account, key: owner.address })
 * console.log(nativeLimit.limit - nativeLimit.limitUsed)
 * ```
 */
export async function getSessionKeyPermissions(
  client: Client,
  parameters: getSessionKeyPermissions.Parameters,
): Promise<getSessionKeyPermissions.ReturnType> {
  const { pluginAddress, tokens = [] } = parameters
  const key = requireAddress(parameters.key)
  const account = requireAccountAddress(client, parameters.account)
  if (!(await isAccountSessionKey(client, { account, pluginAddress, key }))) throw keyNotFoundError(key, account)
  const reads = createPermissionReads(client, { account, sessionKey: key, pluginAddress })
  const [accessType, timeRange, nativeLimit, tokenLimits, gasLimit, requiredPaymaster] = await Promise.all([
    reads.accessType(),
    reads.timeRange(),
    reads.nativeLimit(),
    Promise.all(tokens.map((token) => reads.tokenLimit(requireAddress(token)))),
    reads.gasLimit(),
    reads.requiredPaymaster(),
  ])
  return { accessType, timeRange, nativeLimit, tokenLimits, gasLimit, requiredPaymaster }
}
