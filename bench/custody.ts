import { type ChildProcess, spawn } from 'node:child_process'
import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
  verify,
} from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { freePorts, startDatabase } from 'latchkey-dev/testing'
import { readCpuMs } from './cpuTime.ts'
import { median } from './median.ts'
import type { Measure } from './types.ts'

const program = fileURLToPath(new URL('../cli/main.js', import.meta.resolve('latchkey-server')))
const users = 100
const warmUp = 2_000
const requests = 4_000
const connections = 32
const limitMs = 1_500

class BenchFailed extends Error {}

type Key = { privateKey: KeyObject; publicKey: string }
type User = { orgId: string; address: string; key: Key }
type Stamped = { path: string; body: string; stamp: string; from: string }

/**
 * Measures `sign_raw_payload` over HTTP on one server replica with a durable log (`synchronous_commit = on`) and many
 * concurrent users. The baseline is one thread of this machine that performs only the two signature operations of each
 * request: one P-256 verification and one secp256k1 signature. CPU times of server, database and sender are given per
 * signature. Requests are created and stamped beforehand; server, database and sender share the machine's cores. Also
 * measures user operations, which custody parses and hashes, and compares them with digests.
 */
export const measure: Measure = async ({ log }) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  // When run as root, the database runs as another user, which needs access to the folder.
  chmodSync(folder, 0o711)
  const database = await startDatabase({
    dataDir: folder,
    port: await freePorts(1),
    password: randomBytes(12).toString('hex'),
  })
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const rootKey = createKey()
  const rootOrgId = randomUUID()
  let server: Awaited<ReturnType<typeof startServer>> | undefined
  try {
    const databaseUrl = `${database.url}?options=-c%20synchronous_commit%3Don`
    server = await startServer(databaseUrl, { rootKey, rootOrgId, projectsFile: writeProjects(folder) })
    const send = createSend(agent, server.port)
    log(`${users} users …`)
    const owners = await Promise.all(Array.from({ length: users }, () => createUser(send, { rootKey, rootOrgId })))
    const load = loadavg()[0]?.toFixed(1)
    log(`${warmUp} + ${requests} requests, ${connections} connections; ${availableParallelism()} cores, load ${load} …`)
    const stampAll = (write: () => SigningContent, from: number) =>
      Array.from({ length: warmUp + requests }, (_, index) =>
        writeSigning(owners[index % users], from + index, write()),
      )
    const stamped = stampAll(randomDigest, 0)
    // The limit is measured before and after the run, since the machine's load changes.
    const before = measureLimit()
    // The server may have closed idle connections.
    agent.destroy()
    await run(stamped.slice(0, warmUp), send)
    const watched = { server: server.pid, database: database.pid, sender: process.pid }
    const cpuBefore = readCpu(watched)
    const { perSecond, p99Ms } = await run(stamped.slice(warmUp), send)
    const cpuAfter = readCpu(watched)
    const limit = (before + measureLimit()) / 2
    log('the same by user operations …')
    const operations = stampAll(randomOperation, stamped.length)
    agent.destroy()
    await run(operations.slice(0, warmUp), send)
    const byOperation = await run(operations.slice(warmUp), send)
    log('a bystander, alone and beside an attacker …')
    const slowdown = await measureSlowdown(send, owners[0], owners[1], () => agent.destroy())
    return [
      { name: 'sign/per-second', value: Math.round(perSecond), unit: '/s' },
      { name: 'sign/limit-per-second', value: Math.round(limit), unit: '/s' },
      { name: 'sign/ratio', value: Math.round((perSecond / limit) * 1000) / 1000, unit: '' },
      ...Object.entries(cpuAfter).map(([name, ms]) => ({
        name: `sign/cpu-${name}`,
        value: Math.round(((ms - (cpuBefore[name] ?? 0)) * 1000) / requests),
        unit: 'µs',
      })),
      { name: 'sign/bystander-slowdown', value: Math.round(slowdown * 100) / 100, unit: '' },
      {
        name: 'sign/operation-ratio',
        value: Math.round((byOperation.perSecond / perSecond) * 1000) / 1000,
        unit: '',
      },
      { name: 'sign/p99-ms', value: Math.round(p99Ms * 10) / 10, unit: 'ms' },
    ]
  } finally {
    agent.destroy()
    await server?.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the CPU milliseconds of each process, if available. */
function readCpu(pids: Readonly<Record<string, number>>): Record<string, number> {
  const read = Object.entries(pids).map(([name, pid]) => [name, readCpuMs(pid)] as const)
  return Object.fromEntries(read.filter((entry): entry is [string, number] => entry[1] !== undefined))
}

/** Writes a project that lets custody sign digests, and returns the file's path. */
function writeProjects(folder: string): string {
  const file = join(folder, 'projects.json')
  const lists = { redirectUrls: [], allowedOrigins: [] }
  const project = { id: 'bench', name: 'Bench', apiKey: randomUUID(), ...lists, signing: { blind: 'allow' } }
  writeFileSync(file, JSON.stringify([project]))
  return file
}

async function startServer(
  databaseUrl: string,
  { rootKey, rootOrgId, projectsFile }: { rootKey: Key; rootOrgId: string; projectsFile: string },
) {
  const port = await freePorts(1)
  const environment = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    LATCHKEY_ROLES: 'custody',
    LATCHKEY_PROJECTS_FILE: projectsFile,
    // Custody limits requests by client IP address, so each user has a separate one.
    LATCHKEY_TRUSTED_PROXIES: '1',
    LATCHKEY_PORT: String(port),
    LATCHKEY_LOG_LEVEL: 'info',
    LATCHKEY_ROOT_ORGANIZATION_ID: rootOrgId,
    LATCHKEY_ROOT_API_PUBLIC_KEY: rootKey.publicKey,
    LATCHKEY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_MAIL_SEAL_KEY: randomBytes(32).toString('hex'),
  }
  const migration = spawn(process.execPath, [program, 'migrate'], { env: environment, stdio: 'ignore' })
  await once(migration, 'exit')
  const child = spawn(process.execPath, [program, 'start'], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  const close = async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  try {
    await waitUntilReady(child)
    return { port, pid: child.pid ?? 0, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  if (child.stdout)
    for await (const line of createInterface({ input: child.stdout, signal: AbortSignal.timeout(60_000) }))
      if (line.includes('"Ready"')) {
        child.stdout.resume()
        return
      }
  throw new BenchFailed('The server did not start.')
}

function createKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const parity = (Buffer.from(y, 'base64url').at(-1) ?? 0) % 2
  return { privateKey, publicKey: `0${2 + parity}${Buffer.from(x, 'base64url').toString('hex')}` }
}

function stampBody(path: string, content: object, { privateKey, publicKey }: Key): Stamped {
  const body = JSON.stringify(content)
  const signature = sign('sha256', Buffer.from(body), privateKey).toString('hex')
  const stamp = JSON.stringify({ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature })
  const from = `10.${Number.parseInt(publicKey.slice(2, 4), 16)}.${Number.parseInt(publicKey.slice(4, 6), 16)}.1`
  return { path: `/public/v1/submit/${path}`, body, stamp: Buffer.from(stamp).toString('base64url'), from }
}

type Send = (stamped: Stamped) => Promise<Record<string, unknown>>

function createSend(agent: Agent, port: number): Send {
  return ({ path, body, stamp, from }) =>
    new Promise((resolve, reject) => {
      const headers = { 'x-stamp': stamp, 'content-length': Buffer.byteLength(body), 'x-forwarded-for': from }
      const call = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => {
          if (response.statusCode !== 200) reject(new BenchFailed(`${path}: ${response.statusCode} ${text}`))
          else resolve(JSON.parse(text).activity.result)
        })
      })
      call.on('error', reject)
      call.end(body)
    })
}

async function createUser(send: Send, { rootKey, rootOrgId }: { rootKey: Key; rootOrgId: string }): Promise<User> {
  const key = createKey()
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  }
  const content = {
    type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
    timestampMs: String(Date.now()),
    organizationId: rootOrgId,
    parameters: {
      subOrganizationName: key.publicKey,
      rootUsers: [
        {
          userName: 'user',
          apiKeys: [{ apiKeyName: 'key', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
      wallet: { walletName: 'wallet', accounts: [account] },
    },
  }
  const response = await send(stampBody('create_sub_organization', content, rootKey))
  const made = response.createSubOrganizationResultV7 as { subOrganizationId: string; wallet: { addresses: string[] } }
  return { orgId: made.subOrganizationId, address: made.wallet.addresses[0] ?? '', key }
}

type SigningContent = { payload: string; encoding: string }

const randomDigest = (): SigningContent => ({
  payload: `0x${randomBytes(32).toString('hex')}`,
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
})

/** A sponsored transfer of a token by a LightAccount v2. */
function randomOperation(): SigningContent {
  const word = (hex: string) => hex.padStart(64, '0')
  const [sender, token, to] = [randomBytes(20), randomBytes(20), randomBytes(20)].map((bytes) => bytes.toString('hex'))
  const transfer = `a9059cbb${word(to ?? '')}${word('64')}`
  const operation = {
    sender: `0x${sender}`,
    nonce: `0x${randomBytes(6).readUIntBE(0, 6).toString(16)}`,
    callData: `0xb61d27f6${word(token ?? '')}${word('0')}${word('60')}${word('44')}${transfer.padEnd(192, '0')}`,
    callGasLimit: '0x186a0',
    verificationGasLimit: '0x186a0',
    preVerificationGas: '0xc350',
    maxFeePerGas: '0x59682f00',
    maxPriorityFeePerGas: '0x3b9aca00',
    paymaster: `0x${token}`,
    paymasterData: `0x${randomBytes(77).toString('hex')}`,
    paymasterVerificationGasLimit: '0x7530',
    paymasterPostOpGasLimit: '0x1',
  }
  const payload = { chainId: 31_337, entryPoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032', operation }
  return { payload: JSON.stringify(payload), encoding: 'PAYLOAD_ENCODING_USER_OPERATION' }
}

function writeSigning(user: User | undefined, index: number, content: SigningContent): Stamped {
  if (!user) throw new BenchFailed('There are no users.')
  const activity = {
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    timestampMs: String(Date.now() - index),
    organizationId: user.orgId,
    parameters: { signWith: user.address, ...content, hashFunction: 'HASH_FUNCTION_NO_OP' },
  }
  return stampBody('sign_raw_payload', activity, user.key)
}

async function run(stamped: readonly Stamped[], send: Send): Promise<{ perSecond: number; p99Ms: number }> {
  const times: number[] = []
  let next = 0
  async function sender(): Promise<void> {
    for (let one = stamped[next++]; one; one = stamped[next++]) {
      const began = performance.now()
      await send(one)
      times.push(performance.now() - began)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, sender))
  const seconds = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  return { perSecond: stamped.length / seconds, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0 }
}

function measureLimit(): number {
  const { privateKey } = createKey()
  const publicKey = createPublicKey(privateKey)
  const body = randomBytes(400)
  const signature = sign('sha256', body, privateKey)
  const walletKey = secp256k1.utils.randomSecretKey()
  const once = () => {
    if (!verify('sha256', body, publicKey, signature)) throw new BenchFailed('The signature is not valid.')
    secp256k1.sign(randomBytes(32), walletKey, { prehash: false, lowS: true, format: 'recovered' })
  }
  for (let index = 0; index < 500; index++) once()
  let count = 0
  const began = performance.now()
  while (performance.now() - began < limitMs) {
    once()
    count++
  }
  return count / ((performance.now() - began) / 1000)
}

const bystanderSignatures = 60
const attackers = 16
const attackRequests = 200
const rounds = 5

/**
 * Compares the median time of one user's signatures with and without a second user who sends the largest allowed typed
 * data. Returns the median of several rounds, since the machine's load changes. `hangUp` ends idle connections.
 */
async function measureSlowdown(
  send: Send,
  bystander: User | undefined,
  attacker: User | undefined,
  hangUp: () => void,
): Promise<number> {
  const slowdowns: number[] = []
  for (let round = 0; round < rounds; round++) {
    const from = round * attackRequests
    const stamped = Array.from({ length: attackRequests }, (_, index) => writeTypedData(attacker, from + index))
    // The server may have closed idle connections.
    hangUp()
    const alone = await measureMedian(send, bystander, 2 * round)
    let isOver = false
    let next = 0
    const attack = async () => {
      // Sends the next request immediately after a refusal.
      for (let one = stamped[next++]; one && !isOver; one = stamped[next++]) await send(one).catch(() => undefined)
    }
    const all = Array.from({ length: attackers }, attack)
    const beside = await measureMedian(send, bystander, 2 * round + 1)
    isOver = true
    await Promise.all(all)
    slowdowns.push(beside / alone)
  }
  return median(slowdowns)
}

async function measureMedian(send: Send, user: User | undefined, part: number): Promise<number> {
  const times: number[] = []
  const stamped = Array.from({ length: bystanderSignatures }, (_, index) =>
    writeSigning(user, 100_000 + part * bystanderSignatures + index, randomDigest()),
  )
  for (const signing of stamped) {
    const began = performance.now()
    await send(signing)
    times.push(performance.now() - began)
  }
  return median(times)
}

function writeTypedData(user: User | undefined, index: number): Stamped {
  if (!user) throw new BenchFailed('There are no users.')
  const items = Array.from({ length: 1_400 }, (_, place) => ({ text: `${index} ${place}` }))
  const typedData = {
    types: { List: [{ name: 'items', type: 'Item[]' }], Item: [{ name: 'text', type: 'string' }] },
    primaryType: 'List',
    message: { items },
  }
  const content = {
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    timestampMs: String(Date.now() - index),
    organizationId: user.orgId,
    parameters: {
      signWith: user.address,
      payload: JSON.stringify(typedData),
      encoding: 'PAYLOAD_ENCODING_EIP712',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    },
  }
  return stampBody('sign_raw_payload', content, user.key)
}
