import { parseArgs } from 'node:util'
import { CommandError } from 'latchkey-exit'

export const parityUsage = (program: string): string => `Usage: ${program} --owners FILE [options]

Addresses of every account type and version for each owner, computed offline; with --rpc-url the chain's factories
are asked for theirs, and each that differs is named with both addresses. Factories that the chain lacks are named.

  --owners FILE    an owner a line; more owners of the same account follow after commas; salt=N at the end for an
                   account with another salt than 0; # begins a comment
  --rpc-url URL    node of the chain to compare with
  --json           print a JSON line for each address, and one with the counts at the end
  --help           print this

Exit codes: 0 all agree, 1 addresses differ or lines are wrong, 2 wrong options.`

export type ParityOptions = { help: boolean; json: boolean; owners: string; rpcUrl: string | undefined }

/**
 * Reads the command line.
 *
 * @throws `CONFIG_INVALID` with a message that names the wrong option.
 */
export function parseParityOptions(args: readonly string[]): ParityOptions {
  const { owners = '', 'rpc-url': rpcUrl, json = false, help = false } = parse(args)
  if (!help && owners === '') throw invalid('--owners FILE is missing.')
  if (rpcUrl !== undefined && !(URL.canParse(rpcUrl) && /^https?:$/.test(new URL(rpcUrl).protocol)))
    throw invalid('--rpc-url must be an http or https URL.')
  return { help, json, owners, rpcUrl }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        owners: { type: 'string' },
        'rpc-url': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values
  } catch (cause) {
    throw invalid(cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : 'Unknown option', cause)
  }
}

function invalid(message: string, cause?: unknown): CommandError {
  return new CommandError(message, { code: 'CONFIG_INVALID', cause })
}
