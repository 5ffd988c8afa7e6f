import { type Address, isAddressEqual } from 'viem'
import type { MultiOwnerLightAccountVersion } from '../../core/chains/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { readOwners } from '../reads/readOwners.ts'
import { toAccount } from '../toAccount.ts'
import type { LatchkeyAccount } from '../types.ts'
import { multiOwnerLightAccountContract } from './multiOwnerLightAccountContract.ts'

export declare namespace toMultiOwnerLightAccount {
  type Parameters = toAccount.Options & {
    /** @default 'v2.0.0' */
    version?: MultiOwnerLightAccountVersion | undefined
    /** Owners besides the signer, in any order. Duplicates and the zero address are ignored. At most 100 in total. */
    owners?: readonly Address[] | undefined
  }
  type ReturnType = LatchkeyAccount<'MultiOwnerLightAccount', MultiOwnerLightAccountVersion> & {
    /**
     * Returns the owners on the chain. The account must be deployed, and the signer must be an owner.
     * @throws `OWNER_NOT_FOUND`.
     */
    getOwnerAddresses(): Promise<readonly Address[]>
  }
}

/**
 * Creates a MultiOwnerLightAccount object. Each owner can act for the account. The first user operation deploys the
 * account. Its address is computed as for a LightAccount. After a change of owners, pass the account's address as
 * `accountAddress`.
 *
 * @throws `VERSION_UNKNOWN`, `OWNERS_INVALID`, `CHAIN_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `FACTORY_NOT_FOUND`,
 * `OWNER_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `COUNTERFACTUAL_ADDRESS_FAILED`.
 *
 * @example
 * ```ts
 * import { toMultiOwnerLightAccount } from 'latchkey/accounts'
 * import { owner, publicClient } from './config.ts'
 *
 * const owners = ['0x1111111111111111111111111111111111111111'] as const
 * const account = await toMultiOwnerLightAccount({ client: publicClient, owner, owners })
 * console.log(account.address)
 * ```
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
