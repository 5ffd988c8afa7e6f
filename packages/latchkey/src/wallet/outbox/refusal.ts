import type { ErrorCode } from 'latchkey-protocol'
import { RpcError } from '../../accounts/errors/RpcError.ts'
import { BaseError } from '../../core/errors/BaseError.ts'

/** After these it is not known whether the service has passed the operation on. */
const undecided: readonly ErrorCode[] = [
  'BUNDLER_UNREACHABLE',
  'DATABASE_BUSY',
  'DATABASE_UNREACHABLE',
  'INTERNAL',
  'NODE_UNREACHABLE',
  'RATE_LIMIT_EXCEEDED',
  'TIMEOUT',
  'USER_OPERATION_INCLUDED',
]
const internalError = -32603

/** Whether a bundler has decided that it does not take an operation. */
export function isRefusal(error: unknown): error is BaseError {
  if (!(error instanceof BaseError) || undecided.includes(error.code)) return false
  if (error.code === 'CONTRACT_REVERTED') return true
  return error instanceof RpcError && error.rpcCode !== undefined && error.rpcCode !== internalError
}

/** What bundlers say of an operation that they hold already. */
export function isKnown(error: BaseError): boolean {
  return /already (known|in|exists|submitted)|known already/i.test(error.message)
}
