import type { Address } from 'viem'
import type { LightAccountVersion } from '../../core/chains/types.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { fetchOwner } from '../reads/fetchOwner.ts'
import { toAccount } from '../toAccount.ts'
import type { LatchkeyAccount } from '../types.ts'
import { lightAccountContract } from './versions.ts'

export declare namespace toLightAccount {
  type Parameters = toAccount.Options & {
    /** Default `v1.1.0`. `v1.0.1` and `v1.0.2` have salt 0 whatever is given. */
    version?: LightAccountVersion | undefined
  }
  type ReturnType = LatchkeyAccount<'LightAccount', LightAccountVersion> & {
    /** Owner on the chain, once deployed. Throws 'could not get on-chain owner' (`OWNER_NOT_FOUND`). */
    getOwnerAddress(): Promise<Address>
  }
  type ErrorType = BaseError
}

/**
 * A LightAccount: one owner, deployed by its first user operation. The address is computed here, without a request,
 * when the factory is the chain's own; another factory or init code makes the entry point be asked.
 *
 * Throws `VERSION_UNKNOWN`, `CHAIN_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `FACTORY_NOT_FOUND`, `OWNER_NOT_FOUND`,
 * `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `COUNTERFACTUAL_ADDRESS_FAILED`.
 */
export async function toLightAccount(parameters: toLightAccount.Parameters): Promise<toLightAccount.ReturnType> {
  const { version = 'v1.1.0', ...options } = parameters
  const account = await toAccount({ ...options, contract: lightAccountContract(version) })
  const { client, address } = account
  return { ...account, getOwnerAddress: () => fetchOwner(client, address) }
}
