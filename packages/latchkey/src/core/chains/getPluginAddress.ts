import type { Address, Chain } from 'viem'
import { BaseError } from '../errors/BaseError.ts'
import { chainContracts } from './chainContracts.ts'
import { requireAddress } from './requireAddress.ts'

/** Name and version are what the plugin's own metadata say; the address is the same on every chain that has it. */
const plugins = {
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
    /** Without a chain the well-known address is given. */
    chain?: Chain | undefined
    /** Wins over the chain's. */
    address?: Address | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
  type ErrorType = BaseError
}

/**
 * Where a plugin is: the parameter, else what the chain object says (`chain.custom.latchkey.plugins`), else the table.
 * Throws 'missing MultiOwnerPlugin address for chain {name}' (`PLUGIN_NOT_FOUND`), `ADDRESS_INVALID`.
 */
export function getPluginAddress(parameters: getPluginAddress.Parameters): getPluginAddress.ReturnType {
  const { name, chain, address } = parameters
  const found = address ?? chainContracts(chain).plugins?.[name]
  if (found) return requireAddress(found)
  if (!chain || chainIds.has(chain.id)) return plugins[name].address
  throw new BaseError(`missing ${name} address for chain ${chain.name}`, {
    code: 'PLUGIN_NOT_FOUND',
    metaMessages: ['Pass `pluginAddress`, or name it in the chain: `custom.latchkey.plugins`.'],
  })
}
