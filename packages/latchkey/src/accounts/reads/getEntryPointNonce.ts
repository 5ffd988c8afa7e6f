import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import { requireUint } from '../../core/arguments.ts'
import { entryPointReadsAbi } from '../entryPointAbi.ts'
import { orRpcError } from '../rpc/orRpcError.ts'

/**
 * Next nonce of an account for a key, deployed or not: the key in the upper 192 bits (ERC-4337). Throws
 * `ARGUMENT_INVALID`.
 */
export async function getEntryPointNonce(parameters: {
  client: Client
  entryPoint: Address
  address: Address
  key: bigint
}): Promise<bigint> {
  const { client, entryPoint, address, key } = parameters
  const call = { abi: entryPointReadsAbi, functionName: 'getNonce' } as const
  const data = encodeFunctionData({ ...call, args: [address, requireUint('The nonce key', key, 192)] })
  const asking = client.request({ method: 'eth_call', params: [{ to: entryPoint, data }, 'latest'] })
  const decoding = asking.then((answer) => decodeFunctionResult({ ...call, data: answer }))
  return orRpcError(decoding, `Could not read the nonce of the account at the entry point ${entryPoint}.`)
}
