import type { BaseError } from '../../core/errors/BaseError.ts'
import { revertDataOf, toRpcError } from '../rpc/toRpcError.ts'
import { ContractRevertedError } from './ContractRevertedError.ts'

/**
 * A failed call as an error that says what the contract said (`ContractRevertedError`), or, where it was not a
 * contract that refused, as `toRpcError` has it.
 */
export function toContractError(error: unknown, options: toRpcError.Options): BaseError {
  const rpc = toRpcError(error, options)
  if (rpc === error || rpc.code !== 'RPC_FAILED' || !/revert/i.test(rpc.message)) return rpc
  // Bundlers put the data into the text; behind the entry point's code stands what an account said in its validation.
  const { shortMessage } = rpc
  const data =
    revertDataOf(error) ??
    /\b0x(?:[0-9a-f]{2}){4,}\b/i.exec(shortMessage)?.[0] ??
    /\bAA\d\d reverted: (.+)/.exec(shortMessage)?.[1]
  return new ContractRevertedError(data, { action: options.action, details: shortMessage })
}
