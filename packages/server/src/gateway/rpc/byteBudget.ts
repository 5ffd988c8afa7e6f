import { errorCodes } from 'latchkey-protocol'
import { RpcError, rpcCodes } from './RpcError.ts'

/** Bytes that the responses of one request may still use. */
export type ByteBudget = {
  /** @throws `RESPONSE_TOO_LARGE`. */
  take(bytes: number): void
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let left = maxBytes
  return {
    take(bytes) {
      left -= bytes
      if (left < 0) throw responseTooLarge(maxBytes)
    },
  }
}

export function responseTooLarge(maxBytes: number): RpcError {
  const text = `${Math.floor(maxBytes / 1024 / 1024)} MiB`
  return new RpcError(`The responses to this request are larger than ${text}. Ask for less at once.`, {
    code: errorCodes.RESPONSE_TOO_LARGE,
    rpcCode: rpcCodes.limitExceeded,
  })
}
