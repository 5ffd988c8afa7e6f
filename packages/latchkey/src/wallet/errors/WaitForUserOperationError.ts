import { BaseError, readMessage } from '../../core/errors/BaseError.ts'
import type { UserOperationRequest } from '../userOperation/types.ts'
import { UserOperationRevertedError } from './UserOperationRevertedError.ts'

export declare namespace WaitForUserOperationError {
  type Options = {
    /** Operation as sent. */
    request: UserOperationRequest
    cause: unknown
  }
}

/**
 * A user operation was sent, but not found in a block. It may still be included; `request` can be passed to
 * `dropAndReplaceUserOperation`.
 */
export class WaitForUserOperationError extends BaseError {
  readonly request: UserOperationRequest

  constructor({ request, cause }: WaitForUserOperationError.Options) {
    const known = cause instanceof BaseError ? cause : undefined
    const reason = known?.shortMessage ?? readMessage(cause) ?? String(cause)
    super(`Failed to find User Operation: ${reason}`, {
      code: known?.code ?? 'USER_OPERATION_TIMEOUT',
      metaMessages: known?.metaMessages ?? [],
      cause,
      name: 'WaitForUserOperationError',
    })
    this.request = request
  }
}

/** Wraps the error of a failed wait. Returns the error of a reverted operation unchanged. */
export function toWaitError(
  cause: unknown,
  request: UserOperationRequest,
): UserOperationRevertedError | WaitForUserOperationError {
  if (cause instanceof UserOperationRevertedError) return cause
  return new WaitForUserOperationError({ request, cause })
}
