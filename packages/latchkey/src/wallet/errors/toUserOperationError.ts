import { RpcError, toRpcError } from '../../accounts/errors/RpcError.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import type { explainFailure } from './explainFailure.ts'

export declare namespace toUserOperationError {
  type Options = Omit<explainFailure.Options, 'error'>
}

/**
 * A failed bundler or gas-manager call as an error that says why, and what to do. The explanations are loaded when the
 * first call fails; without them, offline say, the error is what the service said.
 */
export async function toUserOperationError(error: unknown, options: toUserOperationError.Options): Promise<BaseError> {
  const failure = toRpcError(error, options)
  // Anything but the service's own refusal is already as clear as it gets.
  if (failure === error || !(failure instanceof RpcError)) return failure
  try {
    const { explainFailure } = await import('./explainFailure.ts')
    return await explainFailure(failure, { ...options, error })
  } catch {
    return failure
  }
}
