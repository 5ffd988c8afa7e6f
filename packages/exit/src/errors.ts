import type { ErrorCode } from 'latchkey-protocol'

export declare namespace CommandError {
  type Options = {
    code: ErrorCode
    cause?: unknown
    /** One sentence with the fix, on its own line after the message. */
    hint?: string | undefined
  }
}

/** Reports a failure of the commands `exit`, `parity` and `codemod` whose message tells the user what to do. */
export class CommandError extends Error {
  readonly code: ErrorCode

  constructor(message: string, { code, cause, hint }: CommandError.Options) {
    super(hint ? `${message}\n${hint}` : message, { cause })
    this.name = 'CommandError'
    this.code = code
  }
}
