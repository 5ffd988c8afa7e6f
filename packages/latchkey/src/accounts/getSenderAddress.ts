import { type Address, type Client, encodeFunctionData, getAddress, type Hex } from 'viem'
import { requireAddress, requireBytes } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import { entryPointReadsAbi } from './entryPoint.ts'
import { RpcError, readRevertData, toRpcError } from './errors/RpcError.ts'

export declare namespace getSenderAddress {
  type Parameters = { client: Client; entryPoint: Address; initCode: Hex }
  type ReturnType = Address
}

/**
 * Returns the future address of an account, computed by `EntryPoint.getSenderAddress(initCode)` (ERC-4337), which
 * reverts with the address.
 *
 * @throws `COUNTERFACTUAL_ADDRESS_FAILED`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `RPC_URL_INVALID`,
 * `NETWORK_UNREACHABLE`, `TIMEOUT`, `HTTP_FAILED`.
 *
 * @example
 * ```ts
 * import { getSenderAddress } from 'latchkey/accounts'
 * import { account, publicClient } from './config.ts'
 *
 * const initCode = await account.getFactoryInitCode()
 * const sender = await getSenderAddress({ client: publicClient, entryPoint: account.entryPoint.address, initCode })
 * console.log(sender)
 * ```
 */
export async function getSenderAddress(parameters: getSenderAddress.Parameters): Promise<getSenderAddress.ReturnType> {
  const { client } = parameters
  const entryPoint = requireAddress(parameters.entryPoint)
  const args = [requireBytes('The init code', parameters.initCode, 20)] as const
  const data = encodeFunctionData({ abi: entryPointReadsAbi, functionName: 'getSenderAddress', args })
  try {
    // Without retries, because the revert is the result.
    await client.request({ method: 'eth_call', params: [{ to: entryPoint, data }, 'latest'] }, { retryCount: 0 })
  } catch (error) {
    // SenderAddressResult(address sender)
    const digits = /^0x6ca7b8060{24}([0-9a-f]{40})$/i.exec(readRevertData(error) ?? '')?.[1]
    if (digits) return getAddress(`0x${digits}`)
    throw toSenderError(error, entryPoint)
  }
  throw missingAddressError(entryPoint)
}

function toSenderError(error: unknown, entryPoint: Address): BaseError {
  const rpc = toRpcError(error, { action: 'The address of the account was asked for.' })
  return rpc.code === 'RPC_FAILED'
    ? missingAddressError(entryPoint, rpc instanceof RpcError ? rpc.text : rpc.shortMessage)
    : rpc
}

function missingAddressError(entryPoint: Address, details?: string): BaseError {
  return new BaseError('getCounterFactualAddress failed', {
    code: 'COUNTERFACTUAL_ADDRESS_FAILED',
    metaMessages: [
      `EntryPoint: ${entryPoint}`,
      'Check that entry point and factory are deployed on this chain, and that the init code is right.',
    ],
    details,
    name: 'GetCounterFactualAddressError',
  })
}
