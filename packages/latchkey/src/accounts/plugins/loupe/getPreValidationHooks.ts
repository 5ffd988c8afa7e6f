import { type Client, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { requireExactBytes } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { callLoupe, type ModularAccountParameter } from './callLoupe.ts'
import { loupeAbi } from './loupeAbi.ts'

export declare namespace getPreValidationHooks {
  type Parameters = ModularAccountParameter & {
    /** Of the account's function, 4 bytes. */
    selector: Hex
  }
  type ReturnType = { preUserOpValidationHooks: readonly Hex[]; preRuntimeValidationHooks: readonly Hex[] }
  type ErrorType = BaseError
}

/**
 * What runs before a caller of a function of the account is judged (ERC-6900 v0.7). Throws `ACCOUNT_NOT_FOUND`,
 * `ARGUMENT_INVALID`.
 */
export async function getPreValidationHooks(
  client: Client,
  { selector, account }: getPreValidationHooks.Parameters,
): Promise<getPreValidationHooks.ReturnType> {
  const call = { abi: loupeAbi, functionName: 'getPreValidationHooks' } as const
  const data = await callLoupe(client, {
    account,
    data: encodeFunctionData({ ...call, args: [requireExactBytes('The selector', selector, 4)] }),
  })
  const [preUserOpValidationHooks, preRuntimeValidationHooks] = decodeFunctionResult({ ...call, data })
  return { preUserOpValidationHooks, preRuntimeValidationHooks }
}
