import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import { entryPointAbi } from '../entryPointAbi.ts'
import { toRpcError } from '../rpc/toRpcError.ts'

/** Next nonce of an account for a key, deployed or not: the key in the upper 192 bits (ERC-4337). */
export async function getEntryPointNonce(parameters: {
  client: Client
  entryPoint: Address
  address: Address
  key: bigint
}): Promise<bigint> {
  const { client, entryPoint, address, key } = parameters
  try {
    const data = encodeFunctionData({ abi: entryPointAbi, functionName: 'getNonce', args: [address, key] })
    const answer = await client.request({ method: 'eth_call', params: [{ to: entryPoint, data }, 'latest'] })
    return decodeFunctionResult({ abi: entryPointAbi, functionName: 'getNonce', data: answer })
  } catch (error) {
    throw toRpcError(error, {
      action: 'Could not read the nonce of the account.',
      metaMessages: [`EntryPoint: ${entryPoint}`],
    })
  }
}
