import { slice } from 'viem'
import { decodeCreation } from '../descriptor/describeAccount.ts'
import type { LatchkeyAccount } from '../types.ts'
import { describeOwners } from './addressOwners.ts'
import { ownershipOf } from './ownership.ts'
import type { AccountOwner } from './types.ts'

export declare namespace readAccountOwners {
  type Parameters = { account: LatchkeyAccount }
  type ReturnType = Promise<{
    /**
     * Whether the account is deployed. Before the deployment, `owners` are the owners that the account will be created
     * with.
     */
    isDeployed: boolean
    /** Whether the account can have only one owner. A new owner then replaces the current one. */
    isSingle: boolean
    owners: readonly AccountOwner[]
  }>
}

/**
 * Reads the owners of an account on its chain, with their types. Supports all contracts of this package. Keys with
 * limited permissions are not owners.
 *
 * @throws `UNSUPPORTED_ACCOUNT_TYPE` for a delegated address (EIP-7702), which its key always controls.
 *
 * @example
 * ```ts
 * import { readAccountOwners } from 'latchkey/accounts'
 * import { account } from './config.ts'
 *
 * const { isDeployed, owners } = await readAccountOwners({ account })
 * console.log(isDeployed, owners.map(({ kind, address }) => `${kind} ${address}`))
 * ```
 */
export async function readAccountOwners({ account }: readAccountOwners.Parameters): readAccountOwners.ReturnType {
  const { isSingle, read } = ownershipOf(account)
  const { client, address } = account
  const isDeployed = await account.isDeployed()
  if (isDeployed) return { isDeployed, isSingle, owners: await read(client, address) }
  return { isDeployed, isSingle, owners: await describeOwners(client, await readFirstOwners(account)) }
}

/** Returns the owners in the factory call, or the signer if the factory call contains a passkey. */
async function readFirstOwners(account: LatchkeyAccount) {
  const initCode = await account.getFactoryInitCode()
  try {
    return decodeCreation(slice(initCode, 20)).owners
  } catch {
    return [await account.getSigner().getAddress()]
  }
}
