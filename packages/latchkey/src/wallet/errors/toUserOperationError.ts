import { toContractError } from '../../accounts/errors/ContractRevertedError.ts'
import { toRpcError } from '../../accounts/errors/RpcError.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { ErrorCode } from '../../wire/errorCodes.ts'

type Known = { pattern: RegExp; code: ErrorCode; message: string; hint: string }

/** EntryPoint failure codes (`FailedOp`) and what to do about them. */
const known: readonly Known[] = [
  {
    pattern: /\bAA31\b/,
    code: 'PAYMASTER_DEPOSIT_LOW',
    message: 'The paymaster cannot pay for this operation: its deposit is too low.',
    hint: 'Its operator must deposit more at the entry point.',
  },
  {
    pattern: /\bAA21\b/,
    code: 'USER_OPERATION_INVALID',
    message: 'The account cannot pay for the gas of this operation.',
    hint: 'Send it some of the native coin, or sponsor the operation with `gasManagerConfig`.',
  },
  {
    pattern: /\bAA25\b/,
    code: 'USER_OPERATION_INVALID',
    message: 'The nonce of this operation was used already.',
    hint: 'Another operation of the account is on its way. Wait for it, then build this one again.',
  },
  {
    pattern: /\bAA24\b/,
    code: 'USER_OPERATION_INVALID',
    message: 'The account refused the signature of this operation.',
    hint: 'Check that the signer is the owner of the account and that chain and entry point are the right ones.',
  },
  {
    pattern: /\bAA10\b/,
    code: 'USER_OPERATION_INVALID',
    message: 'The account has been deployed since this operation was built.',
    hint: 'An earlier operation did it. Build this one again.',
  },
  {
    pattern: /\bAA1[345]\b|\bAA20\b/,
    code: 'USER_OPERATION_INVALID',
    message: 'The account could not be deployed.',
    hint: 'Check that the factory is deployed on this chain and that the init code gives this address.',
  },
  {
    pattern: /\bAA3[234]\b/,
    code: 'POLICY_REFUSED',
    message: 'The paymaster refused this operation.',
    hint: 'Its approval may have expired. Build the operation again.',
  },
]

export declare namespace toUserOperationError {
  type Options = toRpcError.Options
}

/** A failed bundler or gas-manager call as an error that says what to do. Codes as in `toRpcError`, and those above. */
export function toUserOperationError(error: unknown, options: toUserOperationError.Options): BaseError {
  const rpc = toRpcError(error, options)
  // Anything but the bundler's own plain error is already as clear as it gets.
  if (rpc === error || rpc.code !== 'RPC_FAILED') return rpc
  const match = known.find(({ pattern }) => pattern.test(rpc.shortMessage))
  if (match) {
    return new BaseError(match.message, {
      code: match.code,
      metaMessages: [match.hint],
      details: rpc.shortMessage,
    })
  }
  return toContractError(error, options)
}
