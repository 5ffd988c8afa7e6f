import { ServerError } from '../../platform/errors/ServerError.ts'

/** Kinds of machines that `init` writes files for. */
export const targets = ['compose', 'helm', 'systemd'] as const
export type Target = (typeof targets)[number]

/** Facts that the parser of an answer may use. `readText` returns a setting of the environment. */
export type Context = { target: Target; readText(name: string): string | undefined }

/** Returns the error for an answer that cannot be used. The command line ends with 2. */
export function argumentInvalid(message: string): ServerError {
  return new ServerError(message, { code: 'ARGUMENT_INVALID' })
}
