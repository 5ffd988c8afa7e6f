/** Error that stops the command. Its message says what to do. */
export class CreateError extends Error {
  /** `CONFIG_INVALID`: what was asked for; `COMMAND_FAILED`: the package manager, which has said why. */
  readonly code: 'CONFIG_INVALID' | 'COMMAND_FAILED'

  constructor(message: string, { code, cause }: { code: CreateError['code']; cause?: unknown }) {
    super(message, { cause })
    this.name = 'CreateError'
    this.code = code
  }
}
