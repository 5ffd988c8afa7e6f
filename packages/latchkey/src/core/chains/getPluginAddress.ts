import type { Address, Chain } from 'viem'
import { requireAddress } from '../arguments.ts'
import { BaseError } from '../errors/BaseError.ts'
import { getChainContracts } from './defineLatchkeyChain.ts'

/** Names and versions of the plugins' own metadata; the address is the same on every chain that has the plugin. */
export const plugins = {
  MultiOwnerPlugin: { version: '1.0.0', address: '0xcE0000007B008F50d762D155002600004cD6c647' },
  SessionKeyPlugin: { version: '1.0.1', address: '0x0000003E0000a96de4058e1E02a62FaaeCf23d8d' },
} as const

export type PluginName = keyof typeof plugins

/** Both plugins are deployed on these chains. */
const chainIds: ReadonlySet<number> = new Set([
  1, 10, 137, 252, 2523, 8453, 42161, 80001, 80002, 84532, 421614, 7777777, 11155111, 11155420, 999999999,
])

export declare namespace getPluginAddress {
  type Parameters = {
    name: PluginName
    /** Without a chain the address of public chains is returned. */
    chain?: Chain | undefined
    /** Takes precedence over the chain and the table. */
    address?: Address | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
  type ErrorType = BaseError
}

/**
 * Address of a plugin: the parameter, else the one the chain object names (`chain.custom.latchkey.plugins`), else the
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
