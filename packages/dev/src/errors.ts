import type { ErrorCode } from 'latchkey-protocol'

export declare namespace DevError {
  type Options = {
    code: ErrorCode
    cause?: unknown
    /** One sentence that explains the fix, shown on its own line after the message. */
    hint?: string | undefined
  }
}

/** Error of the devnet. `code` is one of the error codes shared with client and server. */
export class DevError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(message: string, options: DevError.Options) {
    super(options.hint ? `${message}\n${options.hint}` : message, { cause: options.cause })
    this.name = 'DevError'
    this.code = options.code
    this.hint = options.hint
  }
}
