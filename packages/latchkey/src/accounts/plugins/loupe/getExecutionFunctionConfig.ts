import { type Address, type Client, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { requireExactBytes } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { callLoupe, type ModularAccountParameter } from './callLoupe.ts'
import { loupeAbi } from './loupeAbi.ts'

export declare namespace getExecutionFunctionConfig {
  type Parameters = ModularAccountParameter & {
    /** Of the account's function, 4 bytes. */
    selector: Hex
  }
  type ReturnType = {
    /** The account itself where the function is its own, zero where it has no such function. */
    plugin: Address
    /** 21 bytes: see `decodeFunctionReference`. Zero where there is none. */
    userOpValidationFunction: Hex
    runtimeValidationFunction: Hex
  }
  type ErrorType = BaseError
}

/**
 * Who runs a function of the account, and who judges its callers (ERC-6900 v0.7). Throws `ACCOUNT_NOT_FOUND`,
 * `ARGUMENT_INVALID`.
 */
export async function getExecutionFunctionConfig(
  client: Client,
  { selector, account }: getExecutionFunctionConfig.Parameters,
): Promise<getExecutionFunctionConfig.ReturnType> {
  const call = { abi: loupeAbi, functionName: 'getExecutionFunctionConfig' } as const
  const data = await callLoupe(client, {
    account,
    data: encodeFunctionData({ ...call, args: [requireExactBytes('The selector', selector, 4)] }),
  })
  return decodeFunctionResult({ ...call, data })
}
