import { type Address, type Client, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { lightAccountAbi } from '../lightAccount/encoding.ts'
import { type AccountParameter, callView, requireAccountAddress } from './callView.ts'

export declare namespace readOwner {
  type Parameters = AccountParameter
  /** EIP-55. */
  type ReturnType = Address
}

/**
 * Reads the owner of a deployed LightAccount from the chain.
 *
 * @throws `OWNER_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { readOwner } from 'latchkey/accounts'
 * import { account, publicClient } from './config.ts'
 *
 * const owner = await readOwner(publicClient, { address: account.address })
 * console.log(owner)
 * ```
 */
export async function readOwner(client: Client, parameters: readOwner.Parameters = {}): Promise<readOwner.ReturnType> {
  return readOwnerAt(client, requireAccountAddress(client, parameters.address))
}

/** Reads the owner of the LightAccount at an address. */
export async function readOwnerAt(client: Client, address: Address): Promise<readOwner.ReturnType> {
  const call = { abi: lightAccountAbi, functionName: 'owner' } as const
  const action = 'Could not read the owner of the account.'
  const data = await callView({ client, address, data: encodeFunctionData(call), action })
  if (data) return decodeFunctionResult({ ...call, data })
  throw new BaseError('could not get on-chain owner', {
    code: 'OWNER_NOT_FOUND',
    metaMessages: [`Account: ${address}`, 'It has no owner on the chain until its first operation deploys it.'],
  })
}

const multiOwnerAbi = /* @__PURE__ */ parseAbi(['function owners() view returns (address[])'])

export declare namespace readOwners {
  type Parameters = AccountParameter
  /** EIP-55. */
  type ReturnType = readonly Address[]
}

/**
 * Reads the owners of a deployed MultiOwnerLightAccount from the chain.
 *
 * @throws `OWNER_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { readOwners } from 'latchkey/accounts'
 * import { account, publicClient } from './config.ts'
 *
 * const owners = await readOwners(publicClient, { address: account.address })
 * console.log(owners.length)
 * ```
 */
export async function readOwners(
  client: Client,
  parameters: readOwners.Parameters = {},
): Promise<readOwners.ReturnType> {
  const address = requireAccountAddress(client, parameters.address)
  const call = { abi: multiOwnerAbi, functionName: 'owners' } as const
  const action = 'Could not read the owners of the account.'
  const data = await callView({ client, address, data: encodeFunctionData(call), action })
  if (data) return decodeFunctionResult({ ...call, data })
  throw new BaseError('could not get on-chain owners', {
    code: 'OWNER_NOT_FOUND',
    metaMessages: [`Account: ${address}`, 'It has no owners on the chain until its first operation deploys it.'],
  })
}
