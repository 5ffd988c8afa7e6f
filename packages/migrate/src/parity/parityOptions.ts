import { parseArgs } from 'node:util'
import { CommandError } from 'latchkey-exit'
import { suggestOption } from 'latchkey-protocol/commandLine'

export const parityUsage = (program: string): string => `Usage: ${program} --owners FILE [options]

Computes the address of every account type and version for each owner, offline. With --rpc-url, compares them with the
chain's factories and lists each difference with both addresses, and factories that the chain lacks.

  --owners FILE    one owner per line; further owners of the same account follow after commas; salt=N at the end
                   for an account with a salt other than 0; # starts a comment
  --rpc-url URL    node of the chain to compare with
  --json           print one JSON line per address, and one with the counts at the end
  --help           print this help

Exit codes: 0 all match, 1 addresses differ or lines are invalid, 2 invalid options.`

export type ParityOptions = { help: boolean; json: boolean; owners: string; rpcUrl: string | undefined }

/**
 * Parses the command line.
 *
 * @throws `CONFIG_INVALID` with a message about the invalid option.
 */
export function parseParityOptions(args: readonly string[]): ParityOptions {
  const { owners = '', 'rpc-url': rpcUrl, json = false, help = false } = parse(args)
  if (!help && owners === '') throw invalid('--owners FILE is missing.')
  if (rpcUrl !== undefined && !(URL.canParse(rpcUrl) && /^https?:$/.test(new URL(rpcUrl).protocol)))
    throw invalid('--rpc-url must be an http or https URL.')
  return { help, json, owners, rpcUrl }
}

function parse(args: readonly string[]) {
  const options = {
    owners: { type: 'string' },
    'rpc-url': { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const
  try {
    return parseArgs({ args: [...args], strict: true, allowPositionals: false, options }).values
  } catch (cause) {
    const message = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : 'Unknown option'
    const suggestion = suggestOption(cause, Object.keys(options))
    throw invalid(suggestion ? `${message}.${suggestion}` : message, cause)
  }
}

function invalid(message: string, cause?: unknown): CommandError {
  return new CommandError(message, { code: 'CONFIG_INVALID', cause })
}
