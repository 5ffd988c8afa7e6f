import { parseArgs } from 'node:util'
import { nearest } from 'latchkey-protocol/commandLine'
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
     * Prints errors, so that a command's output can be redirected to a file.
     * @default print
     */
    printError?: ((text: string) => void) | undefined
    /** Aborted to stop `start`. */
    stop: AbortSignal
    /** See `Call`. */
    ask?: Call['ask']
    /** See `Call`. */
    onHangup?: Call['onHangup']
  }
}

/**
 * Runs a command and returns its exit code: 0 success, 1 failure or a failed check, 2 unknown command, option or
 * operand. `start` returns once stopped. With `--json`, prints one object: `{ command, ok, result }`, or `{ command,
 * ok: false, error: { code, message } }` on the error output.
 */
export async function run(parameters: run.Parameters): Promise<number> {
  const { print, printError = print, environment, stop, ask, onHangup } = parameters
  const line = readLine(parameters.arguments)
  if (line.type === 'help') {
    print(line.text)
    return line.code
  }
  if (line.type === 'mistake') {
    const error = { code: 'ARGUMENT_INVALID', message: line.message }
    printError(line.json ? JSON.stringify({ command: line.name ?? null, ok: false, error }) : line.message)
    return 2
  }
  const { name, command, operands, options, json } = line
  const onProgress = json ? () => undefined : print
  try {
    const {
      text,
      result,
      ok = true,
    } = await command.run({ environment, stop, ask: json ? undefined : ask, onHangup, operands, options, onProgress })
    if (json) print(JSON.stringify({ command: name, ok, result }))
    else if (text !== '') print(text)
    return ok ? 0 : 1
  } catch (error) {
    const { code, message } = toProblem(error)
    printError(json ? JSON.stringify({ command: name, ok: false, error: { code, message } }) : message)
    return code === 'ARGUMENT_INVALID' ? 2 : 1
  }
}

function toProblem(error: unknown): { code: string; message: string } {
  if (error instanceof ServerError) return error
  return { code: 'INTERNAL', message: `Unexpected: ${(error as Error)?.stack ?? error}` }
}

type Line =
  | { type: 'help'; text: string; code: 0 | 2 }
  | { type: 'mistake'; message: string; name?: string | undefined; json: boolean }
  | ({ type: 'command'; name: string; command: Command; json: boolean } & Pick<Call, 'operands' | 'options'>)

function readLine(words: readonly string[]): Line {
  const given = parse(words)
  if ('unreadable' in given) return mistake(given.unreadable, { words })
  const { positionals, options, json = false } = given
  if (positionals.length === 0 || positionals[0] === 'help') return { type: 'help', text: help(), code: 0 }
  const name = findName(positionals)
  if (name === undefined) return readGroup(positionals, given.help ?? false, words)
  const command = commands[name] as Command
  if (given.help) return { type: 'help', text: commandHelp(name, command), code: 0 }
  const operands = positionals.slice(name.split(' ').length)
  const [least, most] = command.operands ?? [0, 0]
  const stray = Object.keys(options).find((option) => !command.options?.some((one) => one === option))
  if (stray !== undefined) return mistake(`${name} takes no option --${stray}.`, { words, name })
  if (operands.length > most)
    return mistake(`${name} does not take ${JSON.stringify(operands[most])}.`, { words, name })
  if (operands.length < least) return mistake(`${name} needs ${command.takes}.`, { words, name })
  return { type: 'command', name, command, operands, options, json }
}

function readGroup([first = '', second]: readonly string[], isHelp: boolean, words: readonly string[]): Line {
  const names = Object.keys(commands)
  const isGroup = names.some((name) => name.startsWith(`${first} `))
  if (isGroup && (second === undefined || isHelp)) return { type: 'help', text: help(first), code: isHelp ? 0 : 2 }
  if (isHelp) return { type: 'help', text: help(), code: 0 }
  const typed = isGroup ? `${first} ${second}` : first
  const found = nearest(typed, isGroup ? names : [...names, ...names.map((name) => name.split(' ')[0] ?? '')])
  return mistake(`Unknown command ${JSON.stringify(typed)}.${found ? ` Did you mean ${found}?` : ''}`, { words })
}

function mistake(text: string, { words, name }: { words: readonly string[]; name?: string }): Line {
  const where = ['latchkey-server', name, '--help'].filter(Boolean).join(' ')
  return { type: 'mistake', message: `${text} See ${where}.`, name, json: words.includes('--json') }
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
  } catch (error) {
    return { unreadable: describeOption(error, [...Object.keys(optionTypes), 'help', 'json', 'version']) }
  }
}

/** Node's message may quote a secret value, so only the option's name is printed. */
function describeOption(error: unknown, names: readonly string[]): string {
  const { code, message } = error as NodeJS.ErrnoException
  const name = /'(?:-\w, )?--?([\w-]+)/.exec(message)?.[1]
  if (name === undefined) return 'The command line cannot be read.'
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return /does not take/.test(message)
      ? `The option --${name} takes no value.`
      : `The option --${name} needs a value.`
  const found = nearest(name, names)
  return `Unknown option --${name}.${found ? ` Did you mean --${found}?` : ''}`
}

function findName([first = '', second = '']: readonly string[]): string | undefined {
  return [`${first} ${second}`, first].find((name) => Object.hasOwn(commands, name))
}
