import { errorCodes } from 'latchkey/wire'
import { ServerError } from '../../http/ServerError.ts'
import type { RpcErrorObject } from './jsonRpc.ts'

/** An error object of the node or the bundler, to be passed on unchanged. */
export class UpstreamError extends ServerError {
  readonly error: RpcErrorObject

  constructor(error: RpcErrorObject) {
    super(error.message, { code: errorCodes.REQUEST_INVALID, status: 200 })
    this.error = error
  }
}
