import { parseArgs } from 'node:util'
import { nearest, suggestOption } from 'latchkey-protocol/commandLine'
import { parseAppUrl } from '../devnet/appUrls.ts'
import { devnetPorts } from '../devnet/devnetPorts.ts'
import { DevError } from '../errors.ts'

export const usage = `Usage: latchkey-dev [options] [-- COMMAND ...]

Runs the Latchkey devnet on this machine, offline: chain, bundler, paymaster, custody, email and the example wallet.
With a COMMAND, such as \`latchkey-dev -- vite\`, also runs it once the devnet is ready; both end together. Its
environment has the devnet's URL as LATCHKEY_URL, VITE_LATCHKEY_URL and NEXT_PUBLIC_LATCHKEY_URL.

Your app
  --app-url URL      another page that may use the devnet (repeatable); http://localhost:5173 and
                     http://localhost:3000 always may
  --webhook-url URL  server on this machine that receives the devnet's signed webhooks
  --published-clients  serve published clients of Account Kit: sign digests, show exports in the
                     app's frame
  --codes            let published clients ask for the email's code, of six digits, instead of its link

Example wallet
  --no-example       do not serve the example wallet
  --cross-site       serve the wallet on app.localhost and its frames on keys.localhost, as two sites

Ports, data and chain
  --port-base N      first of fifteen consecutive ports (default: 4100)
  --data-dir DIR     folder for the devnet's data (default: .latchkey)
  --fresh            delete users, keys and chain of earlier runs first
  --rpc-url URL      use a running anvil-like node and deploy missing contracts to it
  --chain-id N       id of the chain to start (default: 31337)

Output
  --json             print one JSON line with every URL when ready; progress goes to standard error
  --version          print the version
  --help             print this help

The first start downloads the bundler and the EntryPoint contracts from npm.

Other commands, each with --help:
  latchkey-dev install   download them without starting, for an image or a CI cache
  latchkey-dev parity    compute account addresses offline and compare them with a chain
  latchkey-dev codemod   migrate an Account Kit app to Latchkey
  latchkey-dev exit      move the assets of an account with its owner's key and a node only`

export type CliOptions = {
  help: boolean
  json: boolean
  fresh: boolean
  example: boolean
  crossSite: boolean
  portBase: number | undefined
  chainId: number | undefined
  rpcUrl: string | undefined
  dataDir: string | undefined
  appUrls: string[]
  webhookUrl: string | undefined
  publishedClients: boolean
  /** Whether published clients ask for codes instead of links. */
  prefersCodes: boolean
  /** Program to run with the devnet, and its arguments. */
  command: string[] | undefined
}

/**
 * Reads the command line.
 *
 * @throws `CONFIG_INVALID` with a message that names the wrong option.
 */
export function parseOptions(args: readonly string[]): CliOptions {
  const end = args.indexOf('--')
  const command = end === -1 ? undefined : args.slice(end + 1)
  if (command?.length === 0) throw invalid('Give a command after --, such as `latchkey-dev -- vite`.')
  const values = parse(end === -1 ? args : args.slice(0, end))
  const rpcUrl = values['rpc-url']
  if (rpcUrl !== undefined && !(URL.canParse(rpcUrl) && /^https?:$/.test(new URL(rpcUrl).protocol))) {
    throw invalid(`--rpc-url must be an http or https URL.`)
  }
  if (rpcUrl !== undefined && values['chain-id'] !== undefined) {
    throw invalid(`--chain-id cannot be combined with --rpc-url: the node has its own chain id.`)
  }
  if (command && values.json) throw invalid('--json cannot be combined with a command, whose output would mix with it.')
  return {
    command,
    help: values.help ?? false,
    json: values.json ?? false,
    fresh: values.fresh ?? false,
    example: !values['no-example'],
    crossSite: values['cross-site'] ?? false,
    portBase: portBase(values['port-base']),
    chainId: wholeNumber('--chain-id', values['chain-id']),
    rpcUrl,
    dataDir: values['data-dir'],
    appUrls: (values['app-url'] ?? []).map(appUrl),
    webhookUrl: values['webhook-url'],
    prefersCodes: values.codes ?? false,
    publishedClients: values['published-clients'] ?? false,
  }
}

function parse(args: readonly string[]) {
  const command = nearest(args[0] ?? '', commands)
  if (command !== undefined) throw invalid(`Unknown command '${args[0]}'. Did you mean ${command}?`)
  try {
    return parseArgs({ args: [...args], strict: true, allowPositionals: false, options }).values
  } catch (cause) {
    const message = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : 'Unknown option'
    const suggestion = suggestOption(cause, [...Object.keys(options), 'version'])
    throw invalid(suggestion ? `${message}.${suggestion}` : message, cause)
  }
}

const commands = ['install', 'parity', 'codemod', 'exit']

const options = {
  help: { type: 'boolean' },
  json: { type: 'boolean' },
  fresh: { type: 'boolean' },
  'no-example': { type: 'boolean' },
  'cross-site': { type: 'boolean' },
  'port-base': { type: 'string' },
  'chain-id': { type: 'string' },
  'rpc-url': { type: 'string' },
  'data-dir': { type: 'string' },
  'app-url': { type: 'string', multiple: true },
  'webhook-url': { type: 'string' },
  'published-clients': { type: 'boolean' },
  codes: { type: 'boolean' },
} as const

function appUrl(text: string): string {
  try {
    return parseAppUrl(text)
  } catch (cause) {
    throw cause instanceof DevError ? invalid(`--app-url: ${cause.message}`, cause) : cause
  }
}

function portBase(text: string | undefined): number | undefined {
  const base = wholeNumber('--port-base', text)
  // Throws if the port number is out of range.
  if (base !== undefined) devnetPorts(base)
  return base
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,10}$/.test(text) || Number(text) === 0)
    throw invalid(`${name} must be a whole number above 0, not "${text}".`)
  return Number(text)
}

function invalid(message: string, cause?: unknown): DevError {
  return new DevError(message, { code: 'CONFIG_INVALID', cause })
}
