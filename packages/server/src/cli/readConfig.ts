import { readFileSync } from 'node:fs'
import type { Address } from 'viem'
import type { CustodyTask } from '../app/custodyTasks.ts'
import { type ProjectOptions, type Role, roles, type ServerOptions } from '../app/options.ts'
import { createReader, type Environment, incomplete, type Reader } from './createReader.ts'
import { readCustody, readKeyEncryption } from './readCustody.ts'
import { readJwtIssuers } from './readJwtIssuers.ts'

/** What `start` needs besides the server's own options. */
export type Config = { server: ServerOptions; port: number; host: string; allowedHosts: string[]; logLevel: string }

/**
 * Reads the configuration from environment variables (see `settings`). A name with `_FILE` behind it gives the path of a
 * file that holds the value, as secret stores mount them. Everything that is wrong is reported at once.
 *
 * @throws ServerError `CONFIG_INVALID`
 */
export function readConfig(environment: Environment): Config {
  const problems: string[] = []
  const reader = createReader(environment, problems)
  const chosen = readRoles(reader.optional('LATCHKEY_ROLES'), problems)
  const has = (role: Role) => chosen.includes(role)
  const server: ServerOptions = {
    roles: chosen,
    databaseUrl: reader.required('DATABASE_URL'),
    rootOrganizationId: reader.required('LATCHKEY_ROOT_ORGANIZATION_ID'),
    urls: {
      custody: reader.url('LATCHKEY_CUSTODY_URL', has('signer-api')),
      authFrame: reader.url('LATCHKEY_AUTH_FRAME_URL', has('signer-api')),
      exportFrame: reader.url('LATCHKEY_EXPORT_FRAME_URL', has('signer-api')),
      importFrame: reader.url('LATCHKEY_IMPORT_FRAME_URL', has('signer-api')),
    },
    projects: readProjects(reader.optional('LATCHKEY_PROJECTS_FILE'), problems),
    custody: has('custody') ? readCustody(reader) : undefined,
    jwt: readJwtIssuers(reader.optional('LATCHKEY_JWT_ISSUERS_FILE'), problems),
    trustedProxies: reader.integer('LATCHKEY_TRUSTED_PROXIES', 0),
    signerApi: has('signer-api') ? readSignerApi(reader) : undefined,
    mail: has('mail') ? readMail(reader) : undefined,
    gateway: has('gateway') ? readGateway(reader) : undefined,
    frames: has('frames') ? readFrames(reader, problems) : undefined,
  }
  const config: Config = {
    server,
    port: reader.integer('LATCHKEY_PORT', 8080),
    host: reader.optional('LATCHKEY_HOST') ?? '127.0.0.1',
    allowedHosts: readAllowedHosts(reader, server),
    logLevel: reader.optional('LATCHKEY_LOG_LEVEL') ?? 'info',
  }
  if (problems.length > 0) throw incomplete(problems)
  return config
}

/**
 * What the tools of custody need, for commands that work beside a running server.
 *
 * @throws ServerError `CONFIG_INVALID`
 */
export function readCustodyTask(environment: Environment): CustodyTask {
  const problems: string[] = []
  const reader = createReader(environment, problems)
  const task = { databaseUrl: reader.required('DATABASE_URL'), custody: readKeyEncryption(reader) }
  if (problems.length > 0) throw incomplete(problems)
  return task
}

/**
 * The database alone, for commands that need nothing else.
 *
 * @throws ServerError `CONFIG_INVALID`
 */
export function readDatabaseUrl(environment: Environment): string {
  const problems: string[] = []
  const url = createReader(environment, problems).required('DATABASE_URL')
  if (problems.length > 0) throw incomplete(problems)
  return url
}

function readRoles(text: string | undefined, problems: string[]): Role[] {
  if (text === undefined) return [...roles]
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !(roles as readonly string[]).includes(name))
  if (unknown.length > 0) problems.push(`LATCHKEY_ROLES: unknown ${unknown.join(', ')}; there are ${roles.join(', ')}`)
  return roles.filter((role) => names.includes(role))
}

function readSignerApi(reader: Reader): ServerOptions['signerApi'] {
  return {
    custodyUrl: reader.optional('LATCHKEY_CUSTODY_INTERNAL_URL') ?? reader.url('LATCHKEY_CUSTODY_URL', false),
    apiKey: {
      publicKey: reader.required('LATCHKEY_ROOT_API_PUBLIC_KEY'),
      privateKey: reader.required('LATCHKEY_ROOT_API_PRIVATE_KEY'),
    },
  }
}

function readMail(reader: Reader): ServerOptions['mail'] {
  return {
    smtpUrl: reader.url('LATCHKEY_SMTP_URL'),
    from: reader.required('LATCHKEY_MAIL_FROM'),
    sealKey: reader.required('LATCHKEY_MAIL_SEAL_KEY'),
  }
}

function readGateway(reader: Reader): ServerOptions['gateway'] {
  return {
    nodeUrl: reader.url('LATCHKEY_NODE_URL'),
    bundlerUrl: reader.url('LATCHKEY_BUNDLER_URL'),
    chainId: reader.integer('LATCHKEY_CHAIN_ID'),
    paymasters: {
      '0.6.0': reader.optional('LATCHKEY_PAYMASTER_06') as Address | undefined,
      '0.7.0': reader.optional('LATCHKEY_PAYMASTER_07') as Address | undefined,
    },
    paymasterKey: reader.required('LATCHKEY_PAYMASTER_KEY'),
  }
}

function readFrames(reader: Reader, problems: string[]): ServerOptions['frames'] {
  const page = reader.optional('LATCHKEY_FRAMES_PAGE') ?? 'auth'
  if (page === 'auth') return { page }
  if (page === 'export' || page === 'import')
    return { page, bundleSigningPublicKey: reader.required('LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY') }
  problems.push('LATCHKEY_FRAMES_PAGE must be auth, export or import')
  return undefined
}

function readProjects(path: string | undefined, problems: string[]): ProjectOptions[] | undefined {
  if (path === undefined) return undefined
  try {
    const projects: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (Array.isArray(projects) && projects.every(isProject)) return projects
    problems.push('LATCHKEY_PROJECTS_FILE must hold a list of { id, name, apiKey, redirectUrls, allowedOrigins }')
  } catch {
    problems.push(`LATCHKEY_PROJECTS_FILE: ${path} cannot be read as JSON`)
  }
  return undefined
}

function isProject(value: unknown): value is ProjectOptions {
  const project = (value ?? {}) as Record<string, unknown>
  const texts = (list: unknown) => Array.isArray(list) && list.every((item) => typeof item === 'string')
  return (
    ['id', 'name', 'apiKey'].every((name) => typeof project[name] === 'string') &&
    texts(project.redirectUrls) &&
    texts(project.allowedOrigins) &&
    ['organizationId', 'logoUrl'].every((name) => ['string', 'undefined'].includes(typeof project[name]))
  )
}

/** Names a proxy may pass on: the public URLs' own, and those given. */
function readAllowedHosts(reader: Reader, server: ServerOptions): string[] {
  const given = (reader.optional('LATCHKEY_ALLOWED_HOSTS') ?? '').split(',').map((name) => name.trim())
  const own = Object.values(server.urls).map((url) => (URL.canParse(url) ? new URL(url).hostname : ''))
  return [...new Set([...given, ...own])].filter((name) => name !== '')
}
