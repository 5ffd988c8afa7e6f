import type { ErrorCode } from 'latchkey-protocol'
import { RpcError } from '../../accounts/errors/RpcError.ts'
import { BaseError } from '../../core/errors/BaseError.ts'

/** Error codes that leave open whether the service has forwarded the operation. */
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

/** Checks whether a bundler has definitely refused an operation. */
export function isRefusal(error: unknown): error is BaseError {
  if (!(error instanceof BaseError) || undecided.includes(error.code)) return false
  if (error.code === 'CONTRACT_REVERTED') return true
  return error instanceof RpcError && error.rpcCode !== undefined && error.rpcCode !== internalError
}

/** Checks whether a bundler reports that it already has an operation. */
export function isKnown(error: BaseError): boolean {
  return /already (known|in|exists|submitted)|known already/i.test(error.message)
}
