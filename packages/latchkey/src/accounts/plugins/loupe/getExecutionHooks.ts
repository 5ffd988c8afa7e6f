import { type Client, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { requireExactBytes } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { callLoupe, type ModularAccountParameter } from './callLoupe.ts'
import { loupeAbi } from './loupeAbi.ts'

export declare namespace getExecutionHooks {
  type Parameters = ModularAccountParameter & {
    /** Of the account's function, 4 bytes. */
    selector: Hex
  }
  type ReturnType = readonly { preExecHook: Hex; postExecHook: Hex }[]
  type ErrorType = BaseError
}

/**
 * What runs before and after a function of the account (ERC-6900 v0.7). Throws `ACCOUNT_NOT_FOUND`, `ARGUMENT_INVALID`.
 */
export async function getExecutionHooks(
  client: Client,
  { selector, account }: getExecutionHooks.Parameters,
): Promise<getExecutionHooks.ReturnType> {
  const call = { abi: loupeAbi, functionName: 'getExecutionHooks' } as const
  const data = await callLoupe(client, {
    account,
    data: encodeFunctionData({ ...call, args: [requireExactBytes('The selector', selector, 4)] }),
  })
  return decodeFunctionResult({ ...call, data })
}
