import { parseArgs } from 'node:util'
import { type Address, getAddress, isAddress, zeroAddress } from 'viem'
import { type Asset, parseAsset } from '../assets.ts'
import { CommandError } from '../errors.ts'

export const exitUsage = (
  program: string,
): string => `Usage: ${program} --descriptor FILE --rpc-url URL --to ADDRESS [options]
       ${program} --describe TYPE@VERSION --rpc-url URL [options]
       ${program} --page FILE

Moves what a smart account holds to an address, with the owner's key and a node of the chain alone: no bundler, no
paymaster and no server of ours. The operation is put into a block by an account of your own that pays the gas.

  --descriptor FILE    the account: from the wallet, or as the second form prints it
  --rpc-url URL        a node of its chain
  --to ADDRESS         who gets what is moved
  --asset WHAT         native (the default), TOKEN (all of an ERC-20), TOKEN/ID (an ERC-721) or TOKEN/ID/AMOUNT
                       (an ERC-1155; AMOUNT may be all); may be repeated; the operation moves all or nothing
  --secret-file FILE   the owner's key (0x…) or recovery phrase
  --gas-key-file FILE  key of the account that pays the gas; the owner's own without it
  --dry-run            check all of it against the chain, and send nothing
  --describe TYPE@VERSION
                       print the signed descriptor of the owner's account, such as LightAccount@v1.1.0
  --owner ADDRESS      with --describe: another owner it was created with (may be repeated)
  --salt N             with --describe: its salt (0)
  --page FILE          write the page that does the same in a browser, from one file; offline but for the node
  --json               print one JSON line with the outcome
  --help               print this

Without --secret-file the key is asked for at a terminal, unseen, or read from the first line of standard input.
Keys are never taken from the command line, which other users of the machine can read.`

export type ExitOptions = {
  help: boolean
  json: boolean
  dryRun: boolean
  rpcUrl: string
  secretFile: string | undefined
  gasKeyFile: string | undefined
} & (
  | { command: 'move'; descriptor: string; to: Address; assets: readonly Asset[] }
  | { command: 'page'; page: string }
  | { command: 'describe'; type: string; version: string; owners: readonly Address[]; salt: bigint }
)

/**
 * Reads the command line.
 *
 * @throws `CONFIG_INVALID` with a message that names the wrong option.
 */
export function parseExitOptions(args: readonly string[]): ExitOptions {
  const values = parse(args)
  const { 'rpc-url': rpcUrl = '', help = false, json = false, descriptor, describe } = values
  const shared = {
    help,
    json,
    dryRun: values['dry-run'] ?? false,
    rpcUrl,
    secretFile: values['secret-file'],
    gasKeyFile: values['gas-key-file'],
  }
  if (help) return { ...shared, command: 'move', descriptor: '', to: zeroAddress, assets: [] }
  if (values.page !== undefined) {
    if (Object.keys(values).some((name) => !['page', 'json'].includes(name)))
      throw invalid('--page goes with no other option than --json.')
    return { ...shared, command: 'page', page: values.page }
  }
  if (!/^https?:\/\/\S+$/.test(rpcUrl)) throw invalid('--rpc-url must be an http or https URL.')
  if ((descriptor === undefined) === (describe === undefined))
    throw invalid('Either --descriptor FILE or --describe TYPE@VERSION.')
  if (describe !== undefined) {
    const [type = '', version = ''] = describe.split('@')
    const owners = (values.owner ?? []).map((text) => readAddress('--owner', text))
    return { ...shared, command: 'describe', type, version, owners, salt: readSalt(values.salt) }
  }
  const to = readAddress('--to', values.to ?? '')
  return { ...shared, command: 'move', descriptor: descriptor ?? '', to, assets: readAssets(values.asset) }
}

function readAssets(texts: readonly string[] = ['native']): Asset[] {
  if (new Set(texts.map((text) => text.toLowerCase())).size !== texts.length) throw invalid('--asset names one twice.')
  // The maximum of one operation.
  if (texts.length > 20) throw invalid('--asset: at most 20 at once.')
  return texts.map((text) => {
    try {
      return parseAsset(text)
    } catch (cause) {
      throw cause instanceof CommandError ? invalid(`--asset ${cause.message}`) : cause
    }
  })
}

function readSalt(text = '0'): bigint {
  if (!/^\d{1,78}$/.test(text) || BigInt(text) >= 2n ** 256n)
    throw invalid('--salt must be a whole number of 256 bits.')
  return BigInt(text)
}

function readAddress(name: string, text: string): Address {
  // A mixed-case address with a wrong checksum is a typo.
  if (!isAddress(text) || text === zeroAddress) throw invalid(`${name} must be an address, not "${text.slice(0, 80)}".`)
  return getAddress(text)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      strict: true,
      allowPositionals: false,
      options: {
        page: { type: 'string' },
        descriptor: { type: 'string' },
        describe: { type: 'string' },
        'rpc-url': { type: 'string' },
        to: { type: 'string' },
        asset: { type: 'string', multiple: true },
        owner: { type: 'string', multiple: true },
        salt: { type: 'string' },
        'secret-file': { type: 'string' },
        'gas-key-file': { type: 'string' },
        'dry-run': { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values
  } catch (cause) {
    // Node's message quotes the command line, which may contain a key: only the option's name is kept.
    const name = cause instanceof Error ? /'(--?[a-z-]+)/.exec(cause.message)?.[1] : undefined
    throw invalid(name ? `The option ${name} is unknown or lacks its value.` : 'There is a word without an option.')
  }
}

const invalid = (message: string) => new CommandError(message, { code: 'CONFIG_INVALID' })
