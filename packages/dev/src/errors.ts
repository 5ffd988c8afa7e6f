import type { ErrorCode } from 'latchkey-protocol'

export declare namespace DevError {
  type Options = {
    code: ErrorCode
    cause?: unknown
    /** One sentence that says what to do now, on a line of its own after the message. */
    hint?: string | undefined
  }
}

/** Every error of the devnet. `code` is of the list shared with client and server. */
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
