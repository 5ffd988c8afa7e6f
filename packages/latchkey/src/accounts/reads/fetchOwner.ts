import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { lightAccountAbi } from '../lightAccount/lightAccountAbi.ts'
import { callView } from './callView.ts'

/** Owner of a LightAccount at an address. Throws 'could not get on-chain owner' (`OWNER_NOT_FOUND`). */
export async function fetchOwner(client: Client, address: Address): Promise<Address> {
  const call = { abi: lightAccountAbi, functionName: 'owner' } as const
  const action = 'Could not read the owner of the account.'
  const data = await callView({ client, address, data: encodeFunctionData(call), action })
  if (data) return decodeFunctionResult({ ...call, data })
  throw new BaseError('could not get on-chain owner', {
    code: 'OWNER_NOT_FOUND',
    metaMessages: [`Account: ${address}`, 'It has no owner on the chain until its first operation deploys it.'],
  })
}
