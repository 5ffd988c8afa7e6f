import { formatEther } from 'viem'
import { type CustodyTask, openStoredKey } from '../app/custodyTasks.ts'
import { databaseUrl } from '../app/openStores.ts'
import { toConfirmationUrl } from '../app/toConfirmationUrl.ts'
import type { PaymasterScheme } from '../gateway/paymasters/PaymasterScheme.ts'
import { createSchemes } from '../gateway/paymasters/schemes.ts'
import { findPaymasterProblems, readPaymaster } from '../gateway/paymasters/watchPaymasters.ts'
import { createUpstream, type Upstream } from '../gateway/rpc/createUpstream.ts'
import { fetchBounded } from '../http/fetchBounded.ts'
import { parseJson } from '../http/requestBody.ts'
import { configInvalid, ServerError } from '../http/ServerError.ts'
import { openServiceSigner } from '../keys/openServiceSigner.ts'
import { parseKey } from '../keys/parseKey.ts'
import type { ServiceSigner } from '../keys/serviceSigner.ts'
import { createMailer } from '../mail/createMailer.ts'
import { listPendingMigrations } from '../store/migrate.ts'
import { openStore } from '../store/openStore.ts'
import { listOperators } from '../store/operators.ts'
import type { Config } from './readConfig.ts'

export type Finding = { name: string; ok: boolean; text: string }

/** Checks what the configured roles depend on, all at once, each with a time limit. */
export async function doctor(config: Pick<Config, 'server'>): Promise<Finding[]> {
  const { custody, mail, gateway, admin } = config.server
  const checks: [name: string, check: () => Promise<string>][] = []
  const isAlone = new Set(listDatabases(config.server).values()).size < 2
  for (const [role, url] of listDatabases(config.server)) {
    const of = isAlone ? '' : ` (${role})`
    if (isAlone && checks.length > 0) continue
    checks.push([`PostgreSQL${of}`, () => checkDatabase(url)], [`schema${of}`, () => checkSchema(url)])
  }
  if (custody)
    checks.push(['stored keys', () => checkStoredKeys({ databaseUrl: databaseUrl(config.server, 'custody'), custody })])
  if (custody) checks.push(['mail links', () => checkMailLinks(config.server)])
  if (mail) checks.push(['SMTP', () => checkSmtp(mail)])
  if (gateway) checks.push(...listChainChecks(gateway))
  if (admin)
    checks.push(['operators', () => checkOperators({ databaseUrl: databaseUrl(config.server, 'admin'), admin })])
  return Promise.all(
    checks.map(async ([name, check]) => {
      try {
        return { name, ok: true, text: await check() }
      } catch (error) {
        return { name, ok: false, text: error instanceof ServerError ? error.message : 'failed' }
      }
    }),
  )
}

function listDatabases(server: Config['server']): Map<string, string> {
  const users = server.roles.filter((role) => role !== 'frames')
  return new Map(users.map((role) => [role, databaseUrl(server, role)]))
}

/** The findings as a table for a terminal. */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  return findings.map(({ name, ok, text }) => `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${text}`).join('\n')
}

async function checkDatabase(databaseUrl: string): Promise<string> {
  const store = await openStore({ databaseUrl, maxConnections: 1 })
  try {
    const { rows } = await store.pool.query<{ server_version: string }>('show server_version')
    return `answers, version ${rows[0]?.server_version ?? 'unknown'}`
  } finally {
    await store.close()
  }
}

async function checkSchema(databaseUrl: string): Promise<string> {
  const store = await openStore({ databaseUrl, maxConnections: 1 })
  try {
    const pending = await listPendingMigrations(store.db)
    if (pending.length === 0) return 'up to date'
    throw configInvalid(`${pending.length} migration(s) to run: latchkey-server migrate`)
  } finally {
    await store.close()
  }
}

/** Whether the configured key encryption opens the stored keys. */
async function checkStoredKeys(task: CustodyTask): Promise<string> {
  try {
    await openStoredKey(task)
    return 'the key-encryption key opens them'
  } catch (error) {
    if (error instanceof ServerError && error.code === 'NOT_FOUND') return 'none yet'
    return noneYet(error)
  }
}

/** Where the tables are missing, which is a finding of its own (SQLSTATE 42P01). */
function noneYet(error: unknown): string {
  if ((error as { code?: unknown }).code === '42P01') return 'none yet'
  throw error
}

/** Whether the page on which people confirm is there, and can be framed by no other. */
async function checkMailLinks({ urls, projects = [] }: Config['server']): Promise<string> {
  const url = toConfirmationUrl(urls.authFrame)
  const isNeeded = projects.length === 0 || projects.some(({ confirmations }) => confirmations !== 'none')
  if (url === undefined && !isNeeded) return 'are not needed: no project has confirmations'
  if (url === undefined)
    throw configInvalid('lead nowhere: set LATCHKEY_AUTH_FRAME_URL, or "confirmations": "none" in all projects')
  const { status, headers } = await fetchBounded(url, { what: 'The auth frame', headers: { accept: 'text/html' } })
  const isHtml = headers['content-type']?.startsWith('text/html')
  if (status !== 200 || !isHtml)
    throw configInvalid(
      `lead to no page (${status}): let LATCHKEY_AUTH_FRAME_URL name the role frames with its page auth`,
    )
  if (!/frame-ancestors 'none'/.test(String(headers['content-security-policy'] ?? '')))
    throw configInvalid(
      'lead to a page that may be framed: let the proxy keep the Content-Security-Policy of the role frames',
    )
  return 'lead to a page that cannot be framed'
}

type Admin = NonNullable<Config['server']['admin']>

/** Whether the configured key is the one under which operators were made. */
async function checkOperators({ databaseUrl, admin }: { databaseUrl: string; admin: Admin }): Promise<string> {
  const key = parseKey(admin.operatorKey, 'LATCHKEY_OPERATOR_KEY')
  const store = await openStore({ databaseUrl, maxConnections: 1 })
  try {
    const operators = await listOperators(store.db, { key })
    const foreign = operators.filter(({ isGenuine }) => !isGenuine)
    if (operators.length === 0) return 'none yet: latchkey-server operators create'
    if (foreign.length === 0) return 'the operator key made them'
    if (foreign.length === operators.length)
      throw configInvalid('no key works: give the LATCHKEY_OPERATOR_KEY under which they were made, or make new ones')
    throw configInvalid(
      `${foreign.length} of ${operators.length} were not made with LATCHKEY_OPERATOR_KEY, and open nothing: who else writes to the database? See them by latchkey-server operators list`,
    )
  } catch (error) {
    return noneYet(error)
  } finally {
    await store.close()
  }
}

async function checkSmtp(options: createMailer.Options): Promise<string> {
  const mailer = createMailer(options)
  try {
    await mailer.verify()
    return 'answers and takes the credentials'
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ETLS')
      throw configInvalid(
        'offers no TLS, so it gets no mail: take a server that does, or on a network of your own add ?requireTLS=false to LATCHKEY_SMTP_URL',
      )
    throw configInvalid(
      `does not take mail (${typeof code === 'string' ? code : 'unknown reason'}): check LATCHKEY_SMTP_URL`,
    )
  } finally {
    mailer.close()
  }
}

type Gateway = NonNullable<Config['server']['gateway']>

function listChainChecks({ chains, paymasterKey, mode }: Gateway): [name: string, check: () => Promise<string>][] {
  const openSigner = once(() => openServiceSigner({ key: paymasterKey, mode: mode ?? 'production' }))
  return chains.flatMap(({ chainId, nodeUrls, bundlerUrls, paymasters = {} }) => {
    const schemes = createSchemes({ chainId, paymasters }).filter(({ paymaster }) => paymaster !== undefined)
    const node = createUpstream({ kind: 'node', urls: nodeUrls, timeoutMs: 10_000, chainId })
    const payers = schemes.map((scheme): [string, () => Promise<string>] => [
      `paymaster ${scheme.paymaster?.slice(0, 10)}${chains.length > 1 ? ` of ${chainId}` : ''}`,
      () => checkPaymaster({ node, scheme, openSigner }),
    ])
    const upstreams = [
      ...nodeUrls.map((url, index) => ({ kind: 'node', url, index, count: nodeUrls.length })),
      ...bundlerUrls.map((url, index) => ({ kind: 'bundler', url, index, count: bundlerUrls.length })),
    ]
    const upstreamChecks = upstreams.map(({ kind, url, index, count }): [string, () => Promise<string>] => {
      // URLs may hold keys, so upstreams are named by their place in the list.
      const name = [kind, ...(count > 1 ? [index + 1] : []), ...(chains.length > 1 ? [`of ${chainId}`] : [])].join(' ')
      return [name, () => checkChain(`The ${kind}`, url, chainId)]
    })
    return [...upstreamChecks, ...payers]
  })
}

type PaymasterCheck = { node: Upstream; scheme: PaymasterScheme; openSigner: () => Promise<ServiceSigner> }

async function checkPaymaster({ node, scheme, openSigner }: PaymasterCheck): Promise<string> {
  const state = await readPaymaster(node, scheme)
  if (!state) return 'is a service’s'
  const { address } = await openSigner()
  const problems = findPaymasterProblems(state, address).join('; ')
  if (problems !== '') throw configInvalid(problems)
  return `signer ${address.slice(0, 10)}, deposit ${formatEther(state.deposit)}, stake ${formatEther(state.stake)}`
}

/** One request to a key service, however many paymasters there are. */
function once<result>(make: () => Promise<result>): () => Promise<result> {
  let made: Promise<result> | undefined
  return () => {
    made ??= make()
    return made
  }
}

async function checkChain(what: string, url: string, chainId: number): Promise<string> {
  const { body } = await fetchBounded(url, {
    what,
    timeoutMs: 5_000,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  const { result } = (parseJson(body) ?? {}) as { result?: unknown }
  if (typeof result !== 'string') throw configInvalid(`${what} answered without a chain id: is it a JSON-RPC URL?`)
  if (Number(result) !== chainId) throw configInvalid(`${what} is on chain ${Number(result)}, not on ${chainId}`)
  return `answers, chain ${chainId}`
}
