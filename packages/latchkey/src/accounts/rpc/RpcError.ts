import { BaseError } from '../../core/errors/BaseError.ts'

/** A JSON-RPC service answered with an error object. `rpcCode` is its number; `message` its text. */
export class RpcError extends BaseError {
  readonly rpcCode: number | undefined

  constructor(message: string, options: BaseError.Options & { rpcCode: number | undefined }) {
    super(message, { name: 'RpcError', ...options })
    this.rpcCode = options.rpcCode
  }
}
