import { parseArgs } from 'node:util'
import { CommandError } from 'latchkey-exit'
import { suggestOption } from 'latchkey-protocol/commandLine'

export const codemodUsage = (program: string): string => `Usage: ${program} account-kit FOLDER [options]

Migrates an app on @alchemy/aa-* 3.14 or @account-kit/* 4.x to latchkey: imports, configs, policies, the version of light
accounts, package.json. Writes nothing if the app uses what Latchkey lacks (OAuth, Solana).
Lists what is left to do by file and line. Running it again changes nothing.

  --drop social    move an app with social sign-in (OAuth) without it: removes its buttons from the dialog and lists
                   each place where people who have no other way in would lose their account
  --dry-run        print what would change and write nothing
  --force          run with uncommitted changes or without git
  --json           print one JSON object: files, stops, left, written
  --help           print this help

Exit codes: 0 migrated, or nothing to do; 1 stopped, nothing was written; 2 invalid options.`

export type CodemodOptions = {
  help: boolean
  json: boolean
  isDry: boolean
  isForced: boolean
  dropsSocial: boolean
  folder: string
}

/**
 * Parses the command line.
 *
 * @throws `CONFIG_INVALID` with a message about the invalid argument.
 */
export function parseCodemodOptions(args: readonly string[]): CodemodOptions {
  const { values, positionals } = parse(args)
  const { help = false, json = false, force = false, 'dry-run': isDry = false, drop = [] } = values
  const [name, folder = '', ...more] = positionals
  const options = { help, json, isDry, isForced: force, dropsSocial: drop.length > 0, folder }
  if (help) return options
  if (name !== 'account-kit')
    throw invalid(
      name === undefined ? 'Name the codemod: account-kit.' : `There is no codemod "${name}". Use account-kit.`,
    )
  if (folder === '') throw invalid('Give the FOLDER of the app.')
  if (more.length > 0) throw invalid(`Unexpected argument '${more[0]}'`)
  const unknown = drop.find((what) => what !== 'social')
  if (unknown !== undefined) throw invalid(`--drop takes social, not '${unknown}'.`)
  return options
}

function parse(args: readonly string[]) {
  const options = {
    help: { type: 'boolean' },
    json: { type: 'boolean' },
    force: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    drop: { type: 'string', multiple: true },
  } as const
  try {
    return parseArgs({ args: [...args], strict: true, allowPositionals: true, options })
  } catch (cause) {
    const message = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : 'Unknown option'
    const suggestion = suggestOption(cause, Object.keys(options))
    throw invalid(suggestion ? `${message}.${suggestion}` : message, cause)
  }
}

function invalid(message: string, cause?: unknown): CommandError {
  return new CommandError(message, { code: 'CONFIG_INVALID', cause })
}
