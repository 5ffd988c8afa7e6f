import type { Address } from 'viem'
import { requireAddress, requireChain } from '../../core/arguments.ts'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import { toAccount } from '../toAccount.ts'
import type { LatchkeyAccount } from '../types.ts'
import { modularContract } from './modularContract.ts'

export declare namespace toModularAccount {
  type Parameters = toAccount.Options & {
    /** Owners besides the signer, in any order and letter case. Duplicates and the zero address are ignored. */
    owners?: readonly Address[] | undefined
    /** MultiOwnerPlugin that verifies signatures. @default the chain's plugin */
    multiOwnerPluginAddress?: Address | undefined
  }
  type ReturnType = LatchkeyAccount<'MultiOwnerModularAccount', 'v1.0.0'> & {
    /** Address of the signer. */
    readonly publicKey: Address
  }
}

/**
 * Creates a MultiOwnerModularAccount object (ERC-6900 v0.7, EntryPoint 0.6). The account has plugins and several
 * owners, each of whom can act for it. It is deployed by its first user operation. With the chain's own factory, the
 * address is computed without a request. With another factory or init code, the address is read from the EntryPoint.
 *
 * To use a session key, pass it as `owner` and the existing account's address as `accountAddress`.
 *
 * @throws `CHAIN_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `FACTORY_NOT_FOUND`, `PLUGIN_NOT_FOUND`, `OWNERS_INVALID`,
 * `OWNER_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `COUNTERFACTUAL_ADDRESS_FAILED`.
 *
 * @example
 * ```ts
 * import { toModularAccount } from 'latchkey/accounts'
 * import { owner, publicClient } from './config.ts'
 *
 * const owners = ['0x1111111111111111111111111111111111111111'] as const
 * const account = await toModularAccount({ client: publicClient, owner, owners })
 * console.log(account.address)
 * ```
 */
export async function toModularAccount(parameters: toModularAccount.Parameters): Promise<toModularAccount.ReturnType> {
  const { multiOwnerPluginAddress, ...options } = parameters
  const chain = requireChain(options.client)
  const plugin = getPluginAddress({ name: 'MultiOwnerPlugin', chain, address: multiOwnerPluginAddress })
  const account = await toAccount({ ...options, contract: modularContract(plugin) })
  return { ...account, publicKey: requireAddress(await account.getSigner().getAddress()) }
}
