import { type ErrorCode, errorCodes } from 'latchkey-protocol'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { readRequestId } from '../../platform/http/requestId.ts'

/** JSON-RPC error numbers that the gateway itself raises. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** EIP-1474: the resource is not available now. */
  unavailable: -32002,
  /** EIP-1474: a rate or size limit was exceeded. */
  limitExceeded: -32005,
  /** EIP-5792. */
  unsupportedCapability: 5700,
  unsupportedChain: 5710,
  unknownBundle: 5730,
  /** ERC-7769: refused by the paymaster. */
  paymasterRefused: -32501,
  /** ERC-7769: the paymaster's deposit cannot cover the operation. */
  paymasterDeposit: -32508,
} as const

export declare namespace RpcError {
  type Options = {
    /** Latchkey's own error code, sent as `data.code`. */
    code: ErrorCode
    /** JSON-RPC 2.0 § 5.1, EIP-1474 or ERC-7769 number. */
    rpcCode: number
    /** Further members of `data`, without secrets. */
    data?: Record<string, unknown>
    cause?: unknown
    /** Milliseconds to wait before a retry. */
    retryAfterMs?: number | undefined
  }
}

/** An error sent as a JSON-RPC error object, HTTP status 200. */
export class RpcError extends ServerError {
  readonly rpcCode: number
  readonly data: Record<string, unknown>

  constructor(message: string, options: RpcError.Options) {
    super(message, { code: options.code, status: 200, cause: options.cause, retryAfterMs: options.retryAfterMs })
    this.rpcCode = options.rpcCode
    this.data = { code: options.code, ...options.data }
  }
}

/**
 * JSON-RPC 2.0 § 5.1 error object. Errors of the gateway itself include the request id, so that operators can find the
 * log lines of a user's report.
 */
export type RpcErrorObject = { code: number; message: string; data?: unknown }

export function toErrorObject(error: RpcError): RpcErrorObject {
  return { code: error.rpcCode, message: error.message, data: withRequestId(error.data) }
}

export function withRequestId<data extends object>(data: data): data & { requestId?: string } {
  const requestId = readRequestId()
  return requestId === undefined ? data : { ...data, requestId }
}

/** An error object of the node or the bundler, forwarded unchanged. */
export class UpstreamError extends ServerError {
  readonly error: RpcErrorObject

  constructor(error: RpcErrorObject) {
    super(error.message, { code: errorCodes.REQUEST_INVALID, status: 200 })
    this.error = error
  }
}

export declare namespace UpstreamFailure {
  type Options = RpcError.Options & {
    /** Whether the upstream may have received the request. */
    wasSent: boolean
    /** Whether the request timed out. @default false */
    isSlow?: boolean | undefined
  }
}

/** Error for an upstream without a valid response. Another upstream may be tried. */
export class UpstreamFailure extends RpcError {
  readonly wasSent: boolean
  readonly isSlow: boolean
  readonly #options: UpstreamFailure.Options

  constructor(message: string, options: UpstreamFailure.Options) {
    super(message, options)
    this.wasSent = options.wasSent
    this.isSlow = options.isSlow ?? false
    this.#options = options
  }

  /** Returns the same failure for a request that was never sent. */
  asUnsent(): UpstreamFailure {
    return new UpstreamFailure(this.message, { ...this.#options, wasSent: false })
  }
}
