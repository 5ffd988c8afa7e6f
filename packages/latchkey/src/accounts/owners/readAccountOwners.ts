import { modularAccountV2Modules } from 'latchkey-protocol'
import { slice } from 'viem'
import type { FirstOwner } from '../descriptor/accountDescriptor.ts'
import { decodeCreation } from '../descriptor/decodeCreation.ts'
import type { LatchkeyAccount } from '../types.ts'
import { describeOwners } from './addressOwners.ts'
import { ownershipOf } from './ownership.ts'
import { toIdentifier } from './passkeyPoint.ts'
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
  const owners = isDeployed ? await read(client, address) : await readFirstOwners(account)
  return { isDeployed, isSingle, owners }
}

/** Returns the owners in the factory call, or the signer if the factory call is unknown. */
async function readFirstOwners(account: LatchkeyAccount): Promise<readonly AccountOwner[]> {
  const owners = await listFirstOwners(account)
  const addresses = owners.filter((owner) => typeof owner === 'string')
  const passkeys = owners.filter((owner) => typeof owner !== 'string')
  return [
    ...(await describeOwners(account.client, addresses)),
    ...passkeys.map(({ kind, x, y, entityId }): AccountOwner => {
      const passkey = { x: BigInt(x), y: BigInt(y) }
      const validation = { moduleAddress: modularAccountV2Modules.webauthn, entityId }
      return { kind, address: toIdentifier(passkey), passkey, validation }
    }),
  ]
}

async function listFirstOwners(account: LatchkeyAccount): Promise<readonly FirstOwner[]> {
  const initCode = await account.getFactoryInitCode()
  try {
    return decodeCreation(slice(initCode, 20)).firstOwners
  } catch {
    return [await account.getSigner().getAddress()]
  }
}
