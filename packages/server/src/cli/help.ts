import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { settings } from './settings.ts'

const codes = `Every command takes --help and --json. --json prints one object: { command, ok, result }, or on the error output
{ command, ok: false, error: { code, message } }. Exit codes: 0 success, 1 failure or a failed check, 2 unknown command,
option or operand. --version prints the version.`

/** Returns the help for all commands and their settings, or for commands whose names begin with a word. */
export function help(first?: string): string {
  const group = Object.entries(commands).filter(([name]) => name.startsWith(`${first} `))
  if (group.length > 0) return `${listCommands(group)}\n\n${codes}\n`
  return `latchkey-server <command>

${listGroups(Object.entries(commands), commandGroups, listCommands)}

${codes}

Settings are environment variables. NAME_FILE reads the value of NAME from a file.

${listGroups(Object.entries(settings.shape), settingGroups, listSettings)}
`
}

/** Group titles of the commands, each with the first command of its group. */
const commandGroups: Groups = {
  start: 'Server',
  init: 'Setup and checks',
  'wrap-paymaster-key': 'Keys and audit log',
  'move ticket': 'Moving users to another server',
  'operators create': 'Operators of the admin API',
  'projects list': 'Projects, users and webhooks',
  frames: 'Hosted pages',
}

/** Group titles of the settings, each with the first setting of its group. */
const settingGroups: Groups = {
  DATABASE_URL: 'Database',
  LATCHKEY_ROLES: 'Process, listener and logs',
  LATCHKEY_ROOT_ORGANIZATION_ID: 'Projects and clients',
  LATCHKEY_CUSTODY_URL: 'Public URLs',
  LATCHKEY_KEY_ENCRYPTION: 'Key encryption',
  LATCHKEY_MODE: 'Custody, signer API and frames',
  LATCHKEY_SMTP_URL: 'Mail',
  LATCHKEY_CHAINS_FILE: 'Chains and sponsorship',
  LATCHKEY_OPERATOR_KEY: 'Admin API and console',
  LATCHKEY_DNS_SERVERS: 'Doctor',
}

type Groups = Readonly<Record<string, string>>
type Entry<value> = readonly [name: string, value: value]

function listGroups<value>(
  entries: readonly Entry<value>[],
  groups: Groups,
  list: (entries: readonly Entry<value>[]) => string,
): string {
  const starts = entries.flatMap(([name], index) => (Object.hasOwn(groups, name) ? [index] : []))
  return starts
    .map((start, index) => `${groups[entries[start]?.[0] ?? '']}:\n${list(entries.slice(start, starts[index + 1]))}`)
    .join('\n\n')
}

function listSettings(list: readonly Entry<{ description?: string | undefined }>[]): string {
  return list.map(([name, { description }]) => `  ${name.padEnd(35)} ${description}`).join('\n')
}

export function commandHelp(name: string, command: Command): string {
  return `latchkey-server ${listCommands([[name, command]]).trimStart()}\n\n${codes}\n`
}

function listCommands(list: readonly Entry<Command>[]): string {
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
