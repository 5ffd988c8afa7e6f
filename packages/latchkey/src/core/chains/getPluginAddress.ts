import type { Address, Chain } from 'viem'
import { requireAddress } from '../arguments.ts'
import { BaseError } from '../errors/BaseError.ts'
import { getChainContracts } from './defineLatchkeyChain.ts'
import { type PluginName, plugins } from './plugins.ts'

/** Chains on which both plugins are deployed. */
const chainIds: ReadonlySet<number> = new Set([
  1, 10, 137, 252, 2523, 8453, 42161, 80001, 80002, 84532, 421614, 7777777, 11155111, 11155420, 999999999,
])

export declare namespace getPluginAddress {
  type Parameters = {
    name: PluginName
    /** Chain to look up. @default public chains' address */
    chain?: Chain | undefined
    /** Takes precedence over the chain and the table. */
    address?: Address | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
}

/**
 * Returns the address of a plugin: the parameter, then the chain object's (`chain.custom.latchkey.plugins`), then the
 * table's.
 *
 * @throws `PLUGIN_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getPluginAddress } from 'latchkey/accounts'
 * import { sepolia } from 'latchkey/chains'
 *
 * const plugin = getPluginAddress({ name: 'SessionKeyPlugin', chain: sepolia })
 * console.log(plugin)
 * ```
 */
export function getPluginAddress(parameters: getPluginAddress.Parameters): getPluginAddress.ReturnType {
  const { name, chain, address } = parameters
  const found = address ?? getChainContracts(chain).plugins?.[name]
  if (found) return requireAddress(found)
  if (!chain || chainIds.has(chain.id)) return plugins[name].address
  throw new BaseError(`missing ${name} address for chain ${chain.name}`, {
    code: 'PLUGIN_NOT_FOUND',
    metaMessages: ['Pass `pluginAddress`, or name it in the chain: `custom.latchkey.plugins`.'],
  })
}
