import type { Address } from 'viem'
import { requireAddress, requireChain } from '../../core/arguments.ts'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { toAccount } from '../toAccount.ts'
import type { LatchkeyAccount } from '../types.ts'
import { modularContract } from './modularContract.ts'

export declare namespace toModularAccount {
  type Parameters = toAccount.Options & {
    /** Owners beside the one that signs. Any order and letter case; each counts once, the zero address not at all. */
    owners?: readonly Address[] | undefined
    /** MultiOwnerPlugin that judges signatures. Default: the chain's. */
    multiOwnerPluginAddress?: Address | undefined
  }
  type ReturnType = LatchkeyAccount<'MultiOwnerModularAccount', 'v1.0.0'> & {
    /** Address of the one that signs. */
    readonly publicKey: Address
  }
  type ErrorType = BaseError
}

/**
 * A MultiOwnerModularAccount (ERC-6900 v0.7, EntryPoint 0.6): several owners, any of whom may act, and plugins.
 * Deployed by its first user operation. The address is computed here, without a request, when the factory is the
 * chain's own; another factory or init code makes the entry point be asked.
 *
 * To act with a session key, pass it as `owner` and the existing account as `accountAddress`.
 *
 * Throws `CHAIN_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `FACTORY_NOT_FOUND`, `PLUGIN_NOT_FOUND`, `OWNERS_INVALID`,
 * `ADDRESS_INVALID`, `COUNTERFACTUAL_ADDRESS_FAILED`.
 */
export async function toModularAccount(parameters: toModularAccount.Parameters): Promise<toModularAccount.ReturnType> {
  const { multiOwnerPluginAddress, ...options } = parameters
  const chain = requireChain(options.client)
  const plugin = getPluginAddress({ name: 'MultiOwnerPlugin', chain, address: multiOwnerPluginAddress })
  const account = await toAccount({ ...options, contract: modularContract(plugin) })
  return { ...account, publicKey: requireAddress(await account.getSigner().getAddress()) }
}
