import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { devAddresses } from 'latchkey-dev'
import { freePorts, startDatabase, startTestDevnet } from 'latchkey-dev/testing'
import { measureSponsored, policies } from './sponsored.ts'
import type { Measure, Result } from './types.ts'

const server = fileURLToPath(new URL('../../packages/server/dist/cli/main.js', import.meta.url))
const sequential = 600
const concurrent = 1_500
const connections = 16
const attackers = 8
/** Alto responds to this call immediately, so that only the overhead is measured. */
const call = { jsonrpc: '2.0', id: 1, method: 'eth_supportedEntryPoints', params: [] }
/** Costs many compute units but is fast at the node, so its sender soon reaches the limits. */
const attack = { ...call, method: 'eth_getBlockReceipts', params: ['latest'] }

/** `addresses`: number of client IP addresses. */
type Target = { url: string; network?: string; addresses?: number }

/**
 * Measures the gateway's overhead over the bundler alone, alternating within one run: added milliseconds per call, and
 * requests per second as a share of Alto's. The gateway is a separate process, as in production. Also measures the
 * overhead during an attack, in which another API key sends expensive calls over eight connections as fast as possible,
 * and the cost of `targets` for a sponsored operation.
 */
export const measure: Measure = async ({ log }) => {
  const devnet = await startTestDevnet({ example: false })
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-gateway-'))
  // When run as root, the database runs as another user, which needs access to the folder.
  chmodSync(folder, 0o711)
  const closers: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true }), devnet.close]
  try {
    const databasePort = await freePorts(1)
    const database = await startDatabase({ dataDir: join(folder, 'data'), port: databasePort, password: 'bench' })
    closers.push(() => database.close())
    const { node, bundler } = devnet.urls
    const gateway = await startGateway({ folder, databaseUrl: database.url, node, bundler, chainId: devnet.chainId })
    closers.push(gateway.close)
    const alto: Target = { url: bundler }
    const ours: Target = { url: `${gateway.url}/v2/${gateway.apiKey}`, network: '192.0.2', addresses: 200 }
    log('warming up …')
    for (let index = 0; index < 200; index++) await Promise.all([send(alto, call), send(ours, call)])
    log('alone …')
    const alone = await compare(alto, ours)
    log('sponsored …')
    const sponsored = await measureSponsored({ node, chainId: devnet.chainId, gateway: ours.url })
    log('beside an attacker …')
    const flood = startAttack({ url: `${gateway.url}/v2/${gateway.attackerKey}`, network: '203.0.113', addresses: 1 })
    const attacked = await compare(alto, ours)
    const { refused, served } = await flood.stop()
    return [
      ...alone,
      ...sponsored,
      ...attacked.map(({ name, ...rest }) => ({ name: `attacked/${name}`, ...rest })),
      { name: 'attacked/refused', value: Math.round((refused / (refused + served)) * 1000) / 10, unit: '%' },
    ]
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function compare(alto: Target, ours: Target): Promise<Result[]> {
  const direct: number[] = []
  const through: number[] = []
  for (let index = 0; index < sequential; index++) {
    direct.push(await measureCall(alto))
    through.push(await measureCall(ours))
  }
  const rates: Record<'alto' | 'ours', number[]> = { alto: [], ours: [] }
  for (let round = 0; round < 3; round++) {
    rates.alto.push(await rate(alto))
    rates.ours.push(await rate(ours))
  }
  const added = (share: number) => Math.round((at(through, share) - at(direct, share)) * 100) / 100
  return [
    { name: 'added-ms/p50', value: added(0.5), unit: 'ms' },
    { name: 'added-ms/p99', value: added(0.99), unit: 'ms' },
    {
      name: 'requests-per-second/ratio',
      value: Math.round((at(rates.ours, 0.5) / at(rates.alto, 0.5)) * 100) / 100,
      unit: '',
    },
    { name: 'requests-per-second', value: Math.round(at(rates.ours, 0.5)), unit: '1/s' },
  ]
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

async function measureCall(target: Target): Promise<number> {
  const began = performance.now()
  await send(target, call)
  return performance.now() - began
}

async function rate(target: Target): Promise<number> {
  const began = performance.now()
  let left = concurrent
  const work = async () => {
    while (left-- > 0) await send(target, call)
  }
  await Promise.all(Array.from({ length: connections }, work))
  return concurrent / ((performance.now() - began) / 1000)
}

function startAttack(target: Target): { stop(): Promise<{ refused: number; served: number }> } {
  const count = { refused: 0, served: 0 }
  let isOn = true
  const work = async () => {
    while (isOn) {
      const status = await send(target, attack, [200, 429])
      count[status === 429 ? 'refused' : 'served'] += 1
    }
  }
  const works = Array.from({ length: attackers }, work)
  return {
    async stop() {
      isOn = false
      await Promise.all(works)
      return count
    },
  }
}

class RequestFailed extends Error {}

let sentCount = 0
const agent = new Agent({ keepAlive: true })

function send({ url, network, addresses = 1 }: Target, body: object, statuses = [200]): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(network === undefined ? {} : { 'x-forwarded-for': `${network}.${sentCount++ % addresses}` }),
    }
    const sent = request(url, { method: 'POST', agent, headers, timeout: 30_000 }, (response) => {
      const status = response.statusCode ?? 0
      response.resume()
      response.once('end', () => (statuses.includes(status) ? resolve(status) : reject(new RequestFailed(`${status}`))))
    })
    sent.once('timeout', () => sent.destroy(new RequestFailed('no response within 30 s')))
    sent.once('error', reject)
    sent.end(JSON.stringify(body))
  })
}

type Start = { folder: string; databaseUrl: string; node: string; bundler: string; chainId: number }

async function startGateway({ folder, databaseUrl, node, bundler, chainId }: Start) {
  const [apiKey, attackerKey] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
  const project = { redirectUrls: [], allowedOrigins: [] }
  const projects = [
    { ...project, id: 'app', name: 'App', apiKey },
    { ...project, id: 'attacker', name: 'Attacker', apiKey: attackerKey },
  ]
  const projectsFile = join(folder, 'projects.json')
  writeFileSync(projectsFile, JSON.stringify(projects))
  const policiesFile = join(folder, 'policies.json')
  writeFileSync(policiesFile, JSON.stringify(policies))
  const port = await freePorts(1)
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    LATCHKEY_ROLES: 'gateway',
    LATCHKEY_PORT: String(port),
    LATCHKEY_LOG_LEVEL: 'silent',
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_PROJECTS_FILE: projectsFile,
    LATCHKEY_TRUSTED_PROXIES: '1',
    LATCHKEY_NODE_URL: node,
    LATCHKEY_BUNDLER_URL: bundler,
    LATCHKEY_CHAIN_ID: String(chainId),
    LATCHKEY_POLICIES_FILE: policiesFile,
    LATCHKEY_PAYMASTER_06: `latchkey:${devAddresses.paymasters['0.6.0']}`,
    // The paymaster's contract trusts another key, since operations are only signed here and never sent.
    LATCHKEY_PAYMASTER_KEY: randomBytes(32).toString('hex'),
  }
  await ended(spawn(process.execPath, [server, 'migrate'], { env, stdio: ['ignore', 'ignore', 'inherit'] }))
  const child = spawn(process.execPath, [server, 'start'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const close = async () => {
    child.kill('SIGTERM')
    await ended(child)
  }
  const url = `http://localhost:${port}`
  for (let attempt = 0; attempt < 300; attempt++) {
    if (
      await fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { url, apiKey, attackerKey, close }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await close()
  throw new RequestFailed('The gateway did not start.')
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => (child.exitCode === null ? child.once('exit', () => resolve()) : resolve()))
}
