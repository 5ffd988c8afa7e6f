import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { settings } from './settings.ts'

const codes = `Every command takes --help, and --json, which prints one object: { command, ok, result } or, where errors go,
{ command, ok: false, error: { code, message } }. It exits with 0 when it is done and all is in order, with 1 when it failed
or a check found something, with 2 when there is no such command, option or operand.`

/** Returns the help of all commands with their settings, or of those that begin with a word. */
export function help(first?: string): string {
  const group = Object.entries(commands).filter(([name]) => name.startsWith(`${first} `))
  if (group.length > 0) return `${listCommands(group)}\n\n${codes}\n`
  const all = Object.entries(settings.shape).map(([name, { description }]) => `  ${name.padEnd(35)} ${description}`)
  return `latchkey-server <command>

${listCommands(Object.entries(commands))}

${codes}

Settings, from the environment; NAME_FILE reads the value from a file:

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
