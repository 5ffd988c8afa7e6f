import { isIP } from 'node:net'
import { toAsciiDomain } from 'latchkey-protocol'
import { isThisMachine } from '../../platform/http/fetchBounded.ts'
import { parseUrl } from '../../platform/http/parseUrl.ts'
import { argumentInvalid, type Context, type Target } from './context.ts'
import { type KeyService, readKeyService } from './keyService.ts'

export type Answers = {
  domain: string
  /** URL of the tables' owner; `local` for a database that does not exist yet. */
  database: string
  smtp: string
  chain: { chainId: number; nodeUrl: string; bundlerUrl: string }
  keys: KeyService
}

export type Question<name extends keyof Answers> = {
  /** Shown in a terminal and in messages. */
  what: string
  /** Setting that provides the answer if none is given. */
  setting?: string
  /** Default answer by target. */
  fallback?: Partial<Record<Target, string>>
  /** @throws `ARGUMENT_INVALID` with the fix. */
  parse(text: string, context: Context): Answers[name]
}

/** The five questions of `init`, in order. Each is also an option with the same name. */
export const questions: { readonly [name in keyof Answers]: Question<name> } = {
  domain: {
    what: "your app's domain, such as example.com; the server's hosts are subdomains of it",
    parse: readDomain,
  },
  database: {
    what: "the database of the tables' owner, postgres://USER:PASSWORD@HOST:5432/latchkey, or local for a new one",
    setting: 'DATABASE_URL',
    fallback: { compose: 'local', systemd: 'local' },
    parse: readDatabase,
  },
  smtp: {
    what: 'the mail server, smtps://USER:PASSWORD@HOST:465 or smtp://…:587',
    setting: 'LATCHKEY_SMTP_URL',
    fallback: { systemd: 'smtp://localhost:25?ignoreTLS=true' },
    parse: readSmtp,
  },
  chain: {
    what: 'the chain: its id, the URL of a node and the URL of a bundler, such as 8453,https://node.example,https://bundler.example',
    parse: readChain,
  },
  keys: {
    what: 'the service that wraps the keys of all wallets: secret (a key file), vault:URL/KEY, aws-kms:ARN or gcp-kms:NAME',
    fallback: { compose: 'secret', helm: 'secret', systemd: 'secret' },
    parse: readKeyService,
  },
}

function readDomain(text: string): string {
  const domain = toAsciiDomain(text.toLowerCase())
  const isName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(domain)
  if (!isName || isIP(domain) || isThisMachine(domain) || domain.length > 200)
    throw argumentInvalid(
      '--domain must be a domain of yours such as example.com, without https:// and without a port.',
    )
  return domain
}

function readDatabase(text: string, { target }: Context): string {
  if (text === 'local') {
    if (target === 'helm')
      throw argumentInvalid(
        '--database local is not for helm: name the database, postgres://USER:PASSWORD@HOST:5432/NAME.',
      )
    return text
  }
  const url = parseUrl(text)
  const isDatabase = url?.protocol === 'postgres:' || url?.protocol === 'postgresql:'
  if (!isDatabase || !url.hostname || !url.username || !url.password || url.pathname.length < 2)
    throw argumentInvalid(
      "--database must be postgres://USER:PASSWORD@HOST:5432/NAME with the tables' owner, who may create users, or local.",
    )
  refuseLoopback('--database', url, target)
  return text
}

function readSmtp(text: string, { target }: Context): string {
  const url = parseUrl(text)
  if (!url?.hostname || !['smtp:', 'smtps:'].includes(url.protocol))
    throw argumentInvalid('--smtp must be smtps://USER:PASSWORD@HOST:465 or smtp://USER:PASSWORD@HOST:587.')
  refuseLoopback('--smtp', url, target)
  return text
}

function readChain(text: string, { target }: Context): Answers['chain'] {
  const [id = '', nodeUrl = '', bundlerUrl = '', ...rest] = text.split(/[\s,]+/)
  const urls = [nodeUrl, bundlerUrl].map((url) => parseUrl(url))
  const isWeb = urls.every((url) => url?.protocol === 'https:' || url?.protocol === 'http:')
  if (!/^[1-9]\d{0,14}$/.test(id) || !isWeb || rest.length > 0)
    throw argumentInvalid(
      '--chain must be ID,NODE_URL,BUNDLER_URL, such as 8453,https://node.example,https://bundler.example.',
    )
  for (const url of urls) if (url) refuseLoopback('--chain', url, target)
  return { chainId: Number(id), nodeUrl, bundlerUrl }
}

/** In a container, a loopback address reaches only the container itself. */
function refuseLoopback(option: string, { hostname }: URL, target: Target): void {
  if (target !== 'systemd' && isThisMachine(hostname))
    throw argumentInvalid(
      `${option} names ${hostname}, which inside a container is the container itself: name a host that it reaches.`,
    )
}
