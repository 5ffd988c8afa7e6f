import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { settings } from './settings.ts'

const codes = `Every command takes --help and --json. --json prints one object: { command, ok, result }, or on the error output
{ command, ok: false, error: { code, message } }. Exit codes: 0 success, 1 failure or a failed check, 2 unknown command,
option or operand. --version prints the version.`

/** Returns the help of all commands with their settings, or of those that begin with a word. */
export function help(first?: string): string {
  const group = Object.entries(commands).filter(([name]) => name.startsWith(`${first} `))
  if (group.length > 0) return `${listCommands(group)}\n\n${codes}\n`
  const all = Object.entries(settings.shape).map(([name, { description }]) => `  ${name.padEnd(35)} ${description}`)
  return `latchkey-server <command>

${listCommands(Object.entries(commands))}

${codes}

Settings are environment variables. NAME_FILE reads the value of NAME from a file:

${all.join('\n')}
`
}

/** Returns the help of one command. */
export function commandHelp(name: string, command: Command): string {
  return `latchkey-server ${listCommands([[name, command]]).trimStart()}\n\n${codes}\n`
}

function listCommands(list: readonly (readonly [string, Command])[]): string {
  return list.map(([name, { takes, does }]) => `  ${[name, takes].filter(Boolean).join(' ')}\n${wrap(does)}`).join('\n')
}

const width = 120
const indent = ' '.repeat(12)

function wrap(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && indent.length + line.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => `${indent}${line}`).join('\n')
}
