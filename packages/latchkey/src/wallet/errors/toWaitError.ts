import type { UserOperationRequest } from '../client/types.ts'
import { UserOperationRevertedError } from './UserOperationRevertedError.ts'
import { WaitForUserOperationError } from './WaitForUserOperationError.ts'

/** Why waiting for a sent operation failed. One that was included and reverted was found, and keeps its own error. */
export function toWaitError(
  cause: unknown,
  request: UserOperationRequest,
): UserOperationRevertedError | WaitForUserOperationError {
  if (cause instanceof UserOperationRevertedError) return cause
  return new WaitForUserOperationError({ request, cause })
}
