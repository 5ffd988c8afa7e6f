import { ServerError } from '../../platform/errors/ServerError.ts'

/** Deployment targets of `init`. */
export const targets = ['compose', 'helm', 'systemd'] as const
export type Target = (typeof targets)[number]

/** Data available to the parser of an answer. `readText` returns a setting from the environment. */
export type Context = { target: Target; readText(name: string): string | undefined }

/** Returns the error for an invalid answer. The command then exits with code 2. */
export function argumentInvalid(message: string): ServerError {
  return new ServerError(message, { code: 'ARGUMENT_INVALID' })
}
