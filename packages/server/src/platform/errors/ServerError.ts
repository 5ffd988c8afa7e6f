import type { ErrorCode } from 'latchkey-protocol'

export declare namespace ServerError {
  type Options = {
    code: ErrorCode
    /** HTTP status. @default 400 */
    status?: number | undefined
    cause?: unknown
    details?: readonly unknown[] | undefined
    /** Milliseconds to wait before a retry. Sent as `Retry-After`. */
    retryAfterMs?: number | undefined
  }
}

/**
 * The only error class of the server. `code` is from the list shared with the client; `status` is the HTTP status of
 * the response. `message` is shown to the caller, explains the fix, and contains no secret. `details` is part of the
 * custody API's gRPC-style bodies; the signer API forwards the details of a deletion.
 */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly unknown[]
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: ServerError.Options) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code
    this.status = options.status ?? 400
    this.details = options.details ?? []
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Returns the error for a missing or wrong setting: `CONFIG_INVALID` (500). */
export function configInvalid(message: string, cause?: unknown): ServerError {
  return new ServerError(message, { code: 'CONFIG_INVALID', status: 500, cause })
}
