import { type Address, isAddressEqual } from 'viem'
import type { MultiOwnerLightAccountVersion } from '../../core/chains/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { readOwners } from '../reads/readOwners.ts'
import { toAccount } from '../toAccount.ts'
import type { LatchkeyAccount } from '../types.ts'
import { multiOwnerLightAccountContract } from './multiOwnerLightAccountContract.ts'

export declare namespace toMultiOwnerLightAccount {
  type Parameters = toAccount.Options & {
    /** Default `v2.0.0`. */
    version?: MultiOwnerLightAccountVersion | undefined
    /** Owners beside the one that signs. Order, duplicates and the zero address do not matter; 100 in all at most. */
    owners?: readonly Address[] | undefined
  }
  type ReturnType = LatchkeyAccount<'MultiOwnerLightAccount', MultiOwnerLightAccountVersion> & {
    /**
     * Owners on the chain, once deployed. Throws 'could not get on-chain owners', and 'on-chain owners does not include
     * the current signer' (both `OWNER_NOT_FOUND`).
     */
    getOwnerAddresses(): Promise<readonly Address[]>
  }
  type ErrorType = BaseError
}

/**
 * A MultiOwnerLightAccount: any of its owners acts for it alone. Deployed by its first user operation; the address is
 * computed here as that of a LightAccount is. Once owners have changed, name the account by `accountAddress`.
 *
 * Throws `VERSION_UNKNOWN`, `OWNERS_INVALID`, `CHAIN_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `FACTORY_NOT_FOUND`,
 * `OWNER_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `COUNTERFACTUAL_ADDRESS_FAILED`.
 */
export async function toMultiOwnerLightAccount(
  parameters: toMultiOwnerLightAccount.Parameters,
): Promise<toMultiOwnerLightAccount.ReturnType> {
  const { version = 'v2.0.0', ...options } = parameters
  const account = await toAccount({ ...options, contract: multiOwnerLightAccountContract(version) })
  const { client, address } = account
  return {
    ...account,
    getOwnerAddresses: async () => {
      const [owners, signer] = await Promise.all([readOwners(client, { address }), account.getSigner().getAddress()])
      if (owners.some((owner) => isAddressEqual(owner, signer))) return owners
      throw new BaseError('on-chain owners does not include the current signer', {
        code: 'OWNER_NOT_FOUND',
        metaMessages: [`Account: ${address}`, `Signer: ${signer}`, 'Ask one of the owners to add it.'],
      })
    },
  }
}
