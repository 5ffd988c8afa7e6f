import { parseArgs } from 'node:util'
import { ServerError } from '../platform/errors/ServerError.ts'
import { type Call, type Command, optionTypes } from './command.ts'
import { commands } from './commands.ts'
import type { Environment } from './createReader.ts'
import { commandHelp, help } from './help.ts'

export declare namespace run {
  type Parameters = {
    arguments: readonly string[]
    environment: Environment
    print: (text: string) => void
    /**
     * Prints errors separately from a command's output, which may go to a file.
     *
     * @default print
     */
    printError?: ((text: string) => void) | undefined
    /** Aborted to end `start`. */
    stop: AbortSignal
  }
}

/**
 * Runs the command line. Returns the exit code, that of `start` once stopped: 0 success, 1 failure or a failed check, 2
 * unknown command, option or operand. With `--json` all output is one object: `{ command, ok, result }` or, on the
 * error output, `{ command, ok: false, error: { code, message } }`.
 */
export async function run(parameters: run.Parameters): Promise<number> {
  const { print, printError = print, environment, stop } = parameters
  const line = readLine(parameters.arguments)
  if (line.type === 'help') {
    print(line.text)
    return line.code
  }
  const { name, command, operands, options, json } = line
  const onProgress = json ? () => undefined : print
  try {
    const { text, result, ok = true } = await command.run({ environment, stop, operands, options, onProgress })
    if (json) print(JSON.stringify({ command: name, ok, result }))
    else if (text !== '') print(text)
    return ok ? 0 : 1
  } catch (error) {
    const { code, message } = toProblem(error)
    printError(json ? JSON.stringify({ command: name, ok: false, error: { code, message } }) : message)
    return 1
  }
}

function toProblem(error: unknown): { code: string; message: string } {
  if (error instanceof ServerError) return error
  return { code: 'INTERNAL', message: `Unexpected: ${(error as Error)?.stack ?? error}` }
}

type Line =
  | { type: 'help'; text: string; code: 0 | 2 }
  | ({ type: 'command'; name: string; command: Command; json: boolean } & Pick<Call, 'operands' | 'options'>)

function readLine(words: readonly string[]): Line {
  const given = parse(words)
  const name = given && findName(given.positionals)
  if (given && (given.positionals.length === 0 || given.positionals[0] === 'help'))
    return { type: 'help', text: help(), code: 0 }
  if (!given || name === undefined) {
    const group = help(given?.positionals[0])
    return { type: 'help', text: group, code: given?.help ? 0 : 2 }
  }
  const command = commands[name] as Command
  if (given.help) return { type: 'help', text: commandHelp(name, command), code: 0 }
  const operands = given.positionals.slice(name.split(' ').length)
  const [least, most] = command.operands ?? [0, 0]
  const isTaken = Object.keys(given.options).every((option) => command.options?.some((one) => one === option))
  if (operands.length < least || operands.length > most || !isTaken)
    return { type: 'help', text: commandHelp(name, command), code: 2 }
  return { type: 'command', name, command, operands, options: given.options, json: given.json ?? false }
}

function parse(words: readonly string[]) {
  const types = Object.entries(optionTypes).map(([name, type]) => [name, { type }] as const)
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } },
      allowPositionals: true,
    })
    const { help, json, ...options } = values
    return { help, json, options, positionals }
  } catch {
    // An unknown option, or one without its value.
    return undefined
  }
}

/** Command names have one or two words. */
function findName([first = '', second = '']: readonly string[]): string | undefined {
  return [`${first} ${second}`, first].find((name) => Object.hasOwn(commands, name))
}
