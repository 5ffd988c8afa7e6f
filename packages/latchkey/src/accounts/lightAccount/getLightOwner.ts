import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { toRpcError } from '../rpc/toRpcError.ts'
import { lightAccountAbi } from './lightAccountAbi.ts'

/** Owner of a deployed LightAccount, as the chain has it. Throws 'could not get on-chain owner' (`OWNER_NOT_FOUND`). */
export async function getLightOwner({ client, address }: { client: Client; address: Address }): Promise<Address> {
  const data = encodeFunctionData({ abi: lightAccountAbi, functionName: 'owner' })
  const answer = await client
    .request({ method: 'eth_call', params: [{ to: address, data }, 'latest'] })
    .catch((error: unknown) => {
      throw toRpcError(error, { action: 'Could not read the owner of the account.' })
    })
  if (answer.length >= 66) return decodeFunctionResult({ abi: lightAccountAbi, functionName: 'owner', data: answer })
  throw new BaseError('could not get on-chain owner', {
    code: 'OWNER_NOT_FOUND',
    metaMessages: [`Account: ${address}`, 'It has no owner on the chain until its first operation deploys it.'],
  })
}
