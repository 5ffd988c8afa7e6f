import { parseArgs } from 'node:util'
import { suggestOption } from 'latchkey-protocol/commandLine'
import { type Address, getAddress, isAddress, zeroAddress } from 'viem'
import { type Asset, parseAsset } from '../assets.ts'
import { CommandError } from '../errors.ts'

export const exitUsage = (
  program: string,
): string => `Usage: ${program} --descriptor FILE --rpc-url URL --to ADDRESS [options]
       ${program} --describe TYPE@VERSION --rpc-url URL [options]
       ${program} --list-owners --descriptor FILE
       ${program} --page FILE

Moves the assets of a smart account to an address with only the owner's key and a node: no bundler, no paymaster and
no Latchkey server. An account of your own submits the operation and pays the gas.

Move assets
  --descriptor FILE    account descriptor, downloaded from the wallet or printed by --describe
  --rpc-url URL        node of the account's chain
  --to ADDRESS         recipient of the assets
  --asset WHAT         native (default), TOKEN (all of an ERC-20), TOKEN/ID (an ERC-721) or TOKEN/ID/AMOUNT
                       (an ERC-1155; AMOUNT may be all); repeatable; the operation moves all or nothing
  --dry-run            check everything against the chain and send nothing

Keys (a passkey signs in a browser only: use --page)
  --secret-file FILE   file with the owner's key (0x…) or recovery phrase
  --gas-key-file FILE  file with the key of the account that pays the gas (default: the owner's)

Describe an account
  --describe TYPE@VERSION
                       print the signed descriptor of the owner's account, such as LightAccount@v1.1.0
  --owner ADDRESS      with --describe: another owner the account was created with (repeatable)
  --salt N             with --describe: salt of the account (default: 0)
  --rp-id DOMAIN       with --describe: site of the passkeys that own the account
  --list-owners        print the owners that the descriptor names, by kind

Other
  --page FILE          write a one-file web page that does the same and needs only the node
  --json               print one JSON line with the outcome
  --version            print the version
  --help               print this help

Without --secret-file, the key is read from a hidden prompt or from the first line of standard input. Keys are never
read from the command line, which other users of the machine can see.`

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
  | { command: 'list'; descriptor: string }
  | {
      command: 'describe'
      type: string
      version: string
      owners: readonly Address[]
      salt: bigint
      rpId: string | undefined
    }
)

/**
 * Reads the command line.
 *
 * @throws `CONFIG_INVALID` with the wrong option in the message.
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
      throw invalid('--page can only be combined with --json.')
    return { ...shared, command: 'page', page: values.page }
  }
  if (values['list-owners']) {
    const isAlone = Object.keys(values).every((name) => ['list-owners', 'descriptor', 'json'].includes(name))
    if (descriptor === undefined || !isAlone)
      throw invalid('--list-owners needs --descriptor FILE, and can only be combined with --json.')
    return { ...shared, command: 'list', descriptor }
  }
  if (!/^https?:\/\/\S+$/.test(rpcUrl)) throw invalid('--rpc-url must be an http or https URL.')
  if ((descriptor === undefined) === (describe === undefined))
    throw invalid('Give either --descriptor FILE or --describe TYPE@VERSION.')
  if (describe !== undefined) {
    const [type = '', version = ''] = describe.split('@')
    const owners = (values.owner ?? []).map((text) => readAddress('--owner', text))
    const salt = readSalt(values.salt)
    return { ...shared, command: 'describe', type, version, owners, salt, rpId: values['rp-id'] }
  }
  const to = readAddress('--to', values.to ?? '')
  return { ...shared, command: 'move', descriptor: descriptor ?? '', to, assets: readAssets(values.asset) }
}

function readAssets(texts: readonly string[] = ['native']): Asset[] {
  if (new Set(texts.map((text) => text.toLowerCase())).size !== texts.length)
    throw invalid('--asset names the same asset twice.')
  // Maximum number of assets that one operation moves.
  if (texts.length > 20) throw invalid('--asset can be given at most 20 times.')
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
    throw invalid('--salt must be a whole number below 2^256.')
  return BigInt(text)
}

function readAddress(name: string, text: string): Address {
  // A mixed-case address with a wrong checksum is a typo.
  if (!isAddress(text) || text === zeroAddress) throw invalid(`${name} must be an address, not "${text.slice(0, 80)}".`)
  return getAddress(text)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], strict: true, allowPositionals: false, options }).values
  } catch (cause) {
    // Node's message quotes the command line, which may contain a key, so only the option's name is printed.
    const name = cause instanceof Error ? /'(--?[a-z-]+)/.exec(cause.message)?.[1] : undefined
    if (name === undefined) throw invalid('There is an argument without an option.')
    const suggestion = suggestOption(cause, [...Object.keys(options), 'version'])
    throw invalid(`The option ${name} is unknown or has no value.${suggestion}`)
  }
}

const options = {
  page: { type: 'string' },
  descriptor: { type: 'string' },
  describe: { type: 'string' },
  'rpc-url': { type: 'string' },
  to: { type: 'string' },
  asset: { type: 'string', multiple: true },
  owner: { type: 'string', multiple: true },
  salt: { type: 'string' },
  'rp-id': { type: 'string' },
  'list-owners': { type: 'boolean' },
  'secret-file': { type: 'string' },
  'gas-key-file': { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

const invalid = (message: string) => new CommandError(message, { code: 'CONFIG_INVALID' })
