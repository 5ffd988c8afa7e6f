import { RpcError } from '../../accounts/errors/RpcError.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'

export declare namespace UserOperationRefusedError {
  type Options = BaseError.Options & { rpcCode: number | undefined; failure: string | undefined; figures: Figures }
}

/** Actual and required values by name, in wei, gas, nonces or seconds. */
export type Figures = { readonly [name: string]: bigint }

/** A bundler, paymaster or EntryPoint refused an operation. It was not executed. */
export class UserOperationRefusedError extends RpcError {
  /** Code of the EntryPoint, such as `AA21`; undefined if there is none. */
  readonly failure: string | undefined
  readonly figures: Figures

  constructor(message: string, { failure, figures, ...options }: UserOperationRefusedError.Options) {
    super(message, { name: 'UserOperationRefusedError', ...options })
    this.failure = failure
    this.figures = figures
  }
}
