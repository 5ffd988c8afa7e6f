import { parseArgs } from 'node:util'
import { CommandError } from 'latchkey-exit'

export const codemodUsage = (program: string): string => `Usage: ${program} account-kit FOLDER [options]

Moves an app on @alchemy/aa-* 3.14 or @account-kit/* 4.x to latchkey: imports, configs, policies, the version of light
accounts, package.json. Nothing is written where the app cannot move (ModularAccountV2, EIP-7702, OAuth, Solana); what is
left for you is named with file and line. A second run changes nothing.

  --dry-run        print what would change, write nothing
  --force          also where git has changes that are not committed, or where there is no git
  --json           print one JSON object: files, stops, left, written
  --help           print this

Exit codes: 0 moved, or nothing to move; 1 stopped, nothing was written; 2 wrong options.`

export type CodemodOptions = { help: boolean; json: boolean; isDry: boolean; isForced: boolean; folder: string }

/**
 * Reads the command line.
 *
 * @throws `CONFIG_INVALID` with a message that names the wrong argument.
 */
export function parseCodemodOptions(args: readonly string[]): CodemodOptions {
  const { values, positionals } = parse(args)
  const { help = false, json = false, force = false, 'dry-run': isDry = false } = values
  const [name, folder = '', ...more] = positionals
  if (help) return { help, json, isDry, isForced: force, folder }
  if (name !== 'account-kit')
    throw invalid(name === undefined ? 'Say what to move: account-kit.' : `There is no codemod "${name}": account-kit.`)
  if (folder === '') throw invalid('Say which FOLDER to move.')
  if (more.length > 0) throw invalid(`Unexpected argument '${more[0]}'`)
  return { help, json, isDry, isForced: force, folder }
}

function parse(args: readonly string[]) {
  try {
    const options = {
      help: { type: 'boolean' },
      json: { type: 'boolean' },
      force: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    } as const
    return parseArgs({ args: [...args], strict: true, allowPositionals: true, options })
  } catch (cause) {
    throw invalid(cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : 'Unknown option', cause)
  }
}

function invalid(message: string, cause?: unknown): CommandError {
  return new CommandError(message, { code: 'CONFIG_INVALID', cause })
}
