import { RpcError, toRpcError } from '../../accounts/errors/RpcError.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import type { explainFailure } from './explainFailure.ts'

export declare namespace toUserOperationError {
  type Options = Omit<explainFailure.Options, 'error'>
}

/**
 * Converts a failed bundler or gas-manager call to an error that explains the cause and the remedy. The first failure
 * loads the explanations. If they cannot be loaded, for example offline, the error has the service's message.
 */
export async function toUserOperationError(error: unknown, options: toUserOperationError.Options): Promise<BaseError> {
  const failure = toRpcError(error, options)
  // Errors other than the service's own refusal need no explanation.
  if (failure === error || !(failure instanceof RpcError)) return failure
  try {
    const { explainFailure } = await import('./explainFailure.ts')
    return await explainFailure(failure, { ...options, error })
  } catch {
    return failure
  }
}
