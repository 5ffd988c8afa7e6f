import type { Environment } from './createReader.ts'

/** All options of the command line. Each command lists the options that it accepts. */
export const optionTypes = {
  address: 'string',
  apply: 'boolean',
  chain: 'string',
  close: 'boolean',
  'closed-at': 'string',
  database: 'string',
  domain: 'string',
  list: 'string',
  fingerprint: 'string',
  for: 'string',
  keys: 'string',
  rehearsal: 'boolean',
  sha256: 'string',
  ticket: 'string',
  email: 'string',
  heads: 'string',
  logo: 'string',
  name: 'string',
  organization: 'string',
  origins: 'string',
  redirects: 'string',
  role: 'string',
  smtp: 'string',
  'overlap-hours': 'string',
  passwords: 'boolean',
  out: 'string',
  dead: 'boolean',
  limit: 'string',
  project: 'string',
  state: 'string',
  'without-heads': 'boolean',
  write: 'boolean',
} as const satisfies Record<string, 'boolean' | 'string'>

type OptionName = keyof typeof optionTypes

export type CommandOptions = {
  [name in OptionName]?: ((typeof optionTypes)[name] extends 'boolean' ? boolean : string) | undefined
}

export type Call = {
  environment: Environment
  /** Words after the command's name. */
  operands: readonly string[]
  options: CommandOptions
  /** Shows the progress of a long command. Silent with `--json`. */
  onProgress(text: string): void
  /**
   * Asks the user at the terminal and returns the answer.
   * @default no terminal, or `--json`
   */
  ask?: ((question: string) => Promise<string>) | undefined
  /** Aborted to stop `start`. */
  stop: AbortSignal
  /** Calls the listener on SIGHUP until the returned function is called. @default never */
  onHangup?: ((listener: () => void) => () => void) | undefined
}

export type Outcome = {
  /** Human-readable output. */
  text: string
  /** Output with `--json`. */
  result: unknown
  /**
   * Whether the check succeeded.
   *
   * @default true
   */
  ok?: boolean | undefined
}

export type Command = {
  /** Operands and options, as `--help` shows them. */
  takes?: string
  /** One or two sentences. */
  does: string
  options?: readonly OptionName[]
  /** Number of operands. @default [0, 0] */
  operands?: readonly [least: number, most: number]
  run(call: Call): Promise<Outcome> | Outcome
}
