import { RpcError, toRpcError } from '../../accounts/errors/RpcError.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import type { explainFailure } from './explainFailure.ts'

export declare namespace toUserOperationError {
  type Options = Omit<explainFailure.Options, 'error'>
}

/**
 * Converts a failed bundler or gas-manager call to an error with cause and remedy. The first failure loads the
 * explanations. If that fails, for example offline, the error contains the service's message.
 */
export async function toUserOperationError(error: unknown, options: toUserOperationError.Options): Promise<BaseError> {
  const failure = toRpcError(error, options)
  // Only refusals by the service itself need an explanation.
  if (failure === error || !(failure instanceof RpcError)) return failure
  try {
    const { explainFailure } = await import('./explainFailure.ts')
    return await explainFailure(failure, { ...options, error })
  } catch {
    return failure
  }
}
