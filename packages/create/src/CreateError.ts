/** Error that stops the command. Its message explains how to fix the problem. */
export class CreateError extends Error {
  /** `CONFIG_INVALID`: invalid options; `COMMAND_FAILED`: the package manager failed and has printed the reason. */
  readonly code: 'CONFIG_INVALID' | 'COMMAND_FAILED'

  constructor(message: string, { code, cause }: { code: CreateError['code']; cause?: unknown }) {
    super(message, { cause })
    this.name = 'CreateError'
    this.code = code
  }
}
