import { RpcError } from '../../accounts/errors/RpcError.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'

export declare namespace UserOperationRefusedError {
  type Options = BaseError.Options & { rpcCode: number | undefined; failure: string | undefined; figures: Figures }
}

/** Named values that an operation has and those it needs: wei, gas, nonces, seconds. */
export type Figures = { readonly [name: string]: bigint }

/** A bundler, paymaster or entry point refused an operation. None of it was executed. */
export class UserOperationRefusedError extends RpcError {
  /** Code of the entry point, such as `AA21`; undefined if there is none. */
  readonly failure: string | undefined
  readonly figures: Figures

  constructor(message: string, { failure, figures, ...options }: UserOperationRefusedError.Options) {
    super(message, { name: 'UserOperationRefusedError', ...options })
    this.failure = failure
    this.figures = figures
  }
}
