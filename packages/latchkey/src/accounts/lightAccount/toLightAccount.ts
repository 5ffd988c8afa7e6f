import type { Address } from 'viem'
import type { LightAccountVersion } from '../../core/chains/types.ts'
import { readOwnerAt } from '../reads/readOwners.ts'
import { toAccount } from '../toAccount.ts'
import type { LatchkeyAccount } from '../types.ts'
import { lightAccountContract } from './versions.ts'

export declare namespace toLightAccount {
  type Parameters = toAccount.Options & {
    /** Contract version. `v1.0.1` and `v1.0.2` ignore `salt` and use 0. @default 'v1.1.0' */
    version?: LightAccountVersion | undefined
  }
  type ReturnType = LatchkeyAccount<'LightAccount', LightAccountVersion> & {
    /** Returns the owner on the chain. The account must be deployed. @throws `OWNER_NOT_FOUND`. */
    getOwnerAddress(): Promise<Address>
  }
}

/**
 * Creates a LightAccount object. The account has one owner and is deployed by its first user operation. With the
 * chain's own factory, the address is computed without a request. With another factory or init code, it is read from
 * the EntryPoint.
 *
 * @throws `VERSION_UNKNOWN`, `CHAIN_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `FACTORY_NOT_FOUND`, `OWNER_NOT_FOUND`,
 * `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `COUNTERFACTUAL_ADDRESS_FAILED`.
 *
 * @example
 * ```ts
 * import { toLightAccount } from 'latchkey/accounts'
 * import { owner, publicClient } from './config.ts'
 *
 * const account = await toLightAccount({ client: publicClient, owner, version: 'v2.0.0' })
 * console.log(account.address)
 * ```
 */
export async function toLightAccount(parameters: toLightAccount.Parameters): Promise<toLightAccount.ReturnType> {
  const { version = 'v1.1.0', ...options } = parameters
  const account = await toAccount({ ...options, contract: lightAccountContract(version) })
  const { client, address } = account
  return { ...account, getOwnerAddress: () => readOwnerAt(client, address) }
}
