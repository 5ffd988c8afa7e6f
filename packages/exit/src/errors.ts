import type { ErrorCode } from 'latchkey-protocol'

export declare namespace CommandError {
  type Options = {
    code: ErrorCode
    cause?: unknown
    /** One sentence with the fix, on its own line after the message. */
    hint?: string | undefined
  }
}

/** Failure of the commands `exit`, `parity` and `codemod`, whose message explains the fix. */
export class CommandError extends Error {
  readonly code: ErrorCode

  constructor(message: string, { code, cause, hint }: CommandError.Options) {
    super(hint ? `${message}\n${hint}` : message, { cause })
    this.name = 'CommandError'
    this.code = code
  }
}
