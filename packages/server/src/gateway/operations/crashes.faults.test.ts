import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createRandom } from '@latchkey/testkit/createRandom'
import { type CuttingProxy, startCuttingProxy } from '@latchkey/testkit/cuttingProxy'
import { checkLedger } from '@latchkey/testkit/gateway/checkLedger'
import { lightOperation, signOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { ownPaymasters } from '@latchkey/testkit/gateway/paymasters'
import { type RpcReply, startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { joinProgram } from '@latchkey/testkit/run/joinProgram'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccountOf } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { freePorts } from '../../../../dev/src/devnet/freePorts.ts'

/** Each gateway runs in its own process, and one is killed between two writes. */
let program: string
const rounds = Number(process.env.LATCHKEY_CRASHES ?? 10)
const seed = Number(process.env.LATCHKEY_SEED)
const addresses = Object.values(ownPaymasters).map((options) =>
  typeof options === 'object' && 'address' in options ? options.address : '0x',
)
const isOfOperation = (statement: string) =>
  /reservations|sponsorships|operation|policy_spend/i.test(statement) && !/^\s*with own/.test(statement)

type Process = { port: number; databaseUrl: string; child?: ChildProcess | undefined }

let gateway: TestGateway
let proxy: CuttingProxy
let folder: string
let killed: Process
let beside: Process
let kills = 0
beforeAll(async () => {
  ;[gateway, program] = await Promise.all([startTestGateway(), joinProgram('server')])
  const kill = () => {
    if (killed.child?.kill('SIGKILL')) kills++
  }
  proxy = await startCuttingProxy(gateway.databaseUrl, kill, isOfOperation)
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-crashes-'))
  writeFileSync(join(folder, 'chains.json'), JSON.stringify([gateway.chain]))
  killed = { port: await freePorts(1), databaseUrl: proxy.url }
  beside = { port: await freePorts(1), databaseUrl: gateway.databaseUrl }
})
afterAll(async () => {
  killed?.child?.kill('SIGKILL')
  beside?.child?.kill('SIGKILL')
  await proxy?.close()
  await gateway?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function start(process_: Process): Promise<void> {
  const started = spawn(process.execPath, [program, 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      DATABASE_URL: process_.databaseUrl,
      LATCHKEY_MODE: 'development',
      LATCHKEY_ROLES: 'gateway',
      LATCHKEY_PORT: String(process_.port),
      LATCHKEY_ROOT_ORGANIZATION_ID: '8a1f0e6c-6a1b-4b1e-9d3c-2f5b7c9e1a40',
      LATCHKEY_CHAINS_FILE: join(folder, 'chains.json'),
      LATCHKEY_PAYMASTER_KEY: devAccountOf.paymasterSigner.privateKey,
    },
  })
  process_.child = started
  await new Promise<void>((resolve) => {
    started.once('exit', () => resolve())
    createInterface({ input: started.stdout }).on('line', (line) => {
      if ((JSON.parse(line) as { msg: string }).msg === 'Ready') resolve()
    })
  })
}

function isUp({ child }: Process): boolean {
  return child !== undefined && child.exitCode === null && child.signalCode === null
}

async function retryUntilAnswered(method: string, params: unknown, others: readonly Process[] = []): Promise<RpcReply> {
  for (let tries = 0; tries < 60; tries++) {
    if (!isUp(killed)) await start(killed)
    const asked = [killed, ...others][tries % (others.length + 1)] ?? killed
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const request = { method: 'POST', body, signal: AbortSignal.timeout(60_000) }
    const reply = await fetch(`http://127.0.0.1:${asked.port}/v2/${gateway.apiKey}`, request)
      .then((response) => response.json() as Promise<RpcReply>)
      .catch(() => undefined)
    if (reply && (reply.error === undefined || reply.error.data?.code === undefined)) return reply
    const pause = new Promise((resolve) => setTimeout(resolve, 200))
    await (killed.child?.killed && isUp(killed) ? Promise.race([once(killed.child, 'exit'), pause]) : pause)
  }
  throw new TypeError(`${method} got no response.`)
}

/**
 * Runs one sponsored operation from prepare to settlement. It must be included exactly once, even if a gateway is
 * killed.
 */
type Run = { others?: readonly Process[]; killsBundler?: boolean; whenSent?: () => void }
async function runOperation(version: Version, { others = [], killsBundler = false, whenSent }: Run = {}): Promise<Hex> {
  const operation = await lightOperation(gateway, version, [{ to: '0x00000000000000000000000000000000000000aa' }])
  const { dummySignature, userOperation } = operation
  const entryPoint = devAddresses.entryPoints[version]
  const request = { policyId: 'default', entryPoint, userOperation, dummySignature }
  const prepared = await retryUntilAnswered('alchemy_requestGasAndPaymasterAndData', [request], others)
  const { hash, params } = await signOperation(gateway.chainId, operation, prepared.result as Record<string, Hex>)
  expect(await retryUntilAnswered('eth_sendUserOperation', params, others)).toMatchObject({ result: hash })
  whenSent?.()
  if (killsBundler) {
    await gateway.node.killBundler()
    await gateway.node.startBundlerAgain()
  }
  await untilSettled(hash, others)
  return hash
}

async function untilSettled(hash: Hex, others: readonly Process[]): Promise<void> {
  const isSettled = async () =>
    (await gateway.db
      .selectFrom('reservations')
      .innerJoin('operations', 'operations.user_op_hash', 'reservations.user_op_hash')
      .select('operations.confirmed_at')
      .where('reservations.user_op_hash', '=', hash)
      .where('reservations.state', '=', 'settled')
      .where('operations.confirmed_at', 'is not', null)
      .executeTakeFirst()) !== undefined
  for (let tries = 0; tries < 12; tries++) {
    const { result } = await retryUntilAnswered('latchkey_waitForUserOperation', [hash, { timeoutMs: 5_000 }], others)
    if ((result as { state?: string } | undefined)?.state !== 'included') continue
    for (let looks = 0; looks < 200; looks++) {
      if (await isSettled()) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new TypeError(`${hash} was accepted and is lost, or was not settled.`)
}

test('settles once when killed between any two writes', async () => {
  await retryUntilAnswered('eth_chainId', [])
  await runOperation('0.6.0')
  // Block reads write to the database even without operations, so these writes are interrupted only after sending.
  const idle = proxy.record()
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const idleWrites = new Set(idle.end())
  const recording = proxy.record()
  await runOperation('0.7.0')
  const writes = [...new Set(recording.end())]
  for (const part of ['reservations', 'sponsorships', 'operations', 'policy_spend', 'commit after'])
    expect(writes).toContainEqual(expect.stringContaining(part))
  const missed: string[] = []
  for (const [index, write] of writes.entries()) {
    await retryUntilAnswered('eth_chainId', [])
    const cut = () => proxy.cutBefore(write)
    const isIdle = idleWrites.has(write)
    if (!isIdle) cut()
    await runOperation(index % 2 === 0 ? '0.6.0' : '0.7.0', isIdle ? { whenSent: cut } : {})
    if (!proxy.disarm()) missed.push(write)
    console.info(
      `killed before ${write.replaceAll(/\s+/g, ' ').trim().slice(0, 90)} (${index + 1} of ${writes.length})`,
    )
  }
  // Some listed writes may not occur again, because an event may be read before or after its operation is marked as
  // seen.
  expect(missed.length).toBeLessThanOrEqual(writes.length / 4)
  expect(kills).toBe(writes.length - missed.length)
  expect(await checkLedger(gateway, addresses)).toEqual([])
}, 900_000)

test('settles once when killed at random next to another gateway, with or without the bundler', async () => {
  console.info(`LATCHKEY_SEED=${seed} LATCHKEY_CRASHES=${rounds}`)
  const random = createRandom(seed)
  await start(beside)
  const before = kills
  for (let round = 0; round < rounds; round++) {
    await retryUntilAnswered('eth_chainId', [])
    proxy.cutAt(1 + random(14), random(2) === 0 ? 'before' : 'after')
    const version = round % 2 === 0 ? '0.6.0' : '0.7.0'
    await runOperation(version, { others: [beside], killsBundler: round % 5 === 4 })
    proxy.disarm()
  }
  expect(kills).toBeGreaterThan(before)
  expect(await checkLedger(gateway, addresses)).toEqual([])
}, 3_600_000)
