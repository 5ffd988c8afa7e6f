import { type Address, type Client, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { type AccountParameter, addressOf } from './addressOf.ts'
import { callView } from './callView.ts'

const abi = /* @__PURE__ */ parseAbi(['function owners() view returns (address[])'])

export declare namespace readOwners {
  type Parameters = AccountParameter
  /** EIP-55. */
  type ReturnType = readonly Address[]
  type ErrorType = BaseError
}

/**
 * Owners of a deployed MultiOwnerLightAccount, as the chain has them.
 * Throws 'could not get on-chain owners' (`OWNER_NOT_FOUND`).
 */
export async function readOwners(
  client: Client,
  parameters: readOwners.Parameters = {},
): Promise<readOwners.ReturnType> {
  const address = addressOf(client, parameters)
  const call = { abi, functionName: 'owners' } as const
  const action = 'Could not read the owners of the account.'
  const data = await callView({ client, address, data: encodeFunctionData(call), action })
  if (data) return decodeFunctionResult({ ...call, data })
  throw new BaseError('could not get on-chain owners', {
    code: 'OWNER_NOT_FOUND',
    metaMessages: [`Account: ${address}`, 'It has no owners on the chain until its first operation deploys it.'],
  })
}
