import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type CuttingProxy, startCuttingProxy } from '@latchkey/testkit/cuttingProxy'
import { checkBooks } from '@latchkey/testkit/gateway/checkBooks'
import { lightOperation, signOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { ownPaymasters } from '@latchkey/testkit/gateway/paymasters'
import { type RpcReply, startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccountOf } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { freePorts } from '../../../../dev/src/world/freePorts.ts'

/** As it is installed: the gateway in a process of its own, killed between two writes. */
const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const rounds = Number(process.env.LATCHKEY_CRASHES ?? 10)
const addresses = Object.values(ownPaymasters).map((options) =>
  typeof options === 'object' && 'address' in options ? options.address : '0x',
)

let gateway: TestGateway
let proxy: CuttingProxy
let folder: string
let port: number
let child: ChildProcess | undefined
let kills = 0
beforeAll(async () => {
  gateway = await startTestGateway()
  proxy = await startCuttingProxy(gateway.databaseUrl, () => {
    if (child?.kill('SIGKILL')) kills++
  })
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-crashes-'))
  writeFileSync(join(folder, 'chains.json'), JSON.stringify([gateway.chain]))
  port = await freePorts(1)
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await proxy?.close()
  await gateway?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function start(): Promise<void> {
  const started = spawn(process.execPath, [program, 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      DATABASE_URL: proxy.url,
      LATCHKEY_ROLES: 'gateway',
      LATCHKEY_PORT: String(port),
      LATCHKEY_ROOT_ORGANIZATION_ID: '8a1f0e6c-6a1b-4b1e-9d3c-2f5b7c9e1a40',
      LATCHKEY_CHAINS_FILE: join(folder, 'chains.json'),
      LATCHKEY_PAYMASTER_KEY: devAccountOf.paymasterSigner.privateKey,
    },
  })
  child = started
  await new Promise<void>((resolve) => {
    started.once('exit', () => resolve())
    createInterface({ input: started.stdout }).on('line', (line) => {
      if ((JSON.parse(line) as { msg: string }).msg === 'Ready') resolve()
    })
  })
}

/** Asks as a client does that gets no response: the same again, of a gateway that was started again. */
async function insist(method: string, params: unknown): Promise<RpcReply> {
  for (let tries = 0; tries < 10; tries++) {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) await start()
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const request = { method: 'POST', body, signal: AbortSignal.timeout(60_000) }
    const url = `http://127.0.0.1:${port}/v2/${gateway.apiKey}`
    const reply = await fetch(url, request)
      .then((response) => response.json() as Promise<RpcReply>)
      .catch(() => undefined)
    if (reply && (reply.error === undefined || reply.error.data?.code === undefined)) return reply
    if (child?.killed) await Promise.race([once(child, 'exit'), new Promise((resolve) => setTimeout(resolve, 500))])
  }
  throw new TypeError(`${method} got no response.`)
}

/** One sponsored operation, with a kill at one of its writes, or of the bundler once it was accepted. */
async function crash(version: Version, write: number, when: 'before' | 'after', killsBundler: boolean): Promise<Hex> {
  await insist('eth_chainId', [])
  const operation = await lightOperation(gateway, version, [{ to: '0x00000000000000000000000000000000000000aa' }])
  const { dummySignature, userOperation } = operation
  const entryPoint = devAddresses.entryPoints[version]
  if (write > 0) proxy.cutAt(write, when)
  const request = { policyId: 'default', entryPoint, userOperation, dummySignature }
  const prepared = await insist('alchemy_requestGasAndPaymasterAndData', [request])
  const { hash, params } = await signOperation(gateway.chainId, operation, prepared.result as Record<string, Hex>)
  const sent = await insist('eth_sendUserOperation', params)
  proxy.disarm()
  expect(sent).toMatchObject({ result: hash })
  if (killsBundler) {
    await gateway.node.killBundler()
    await gateway.node.startBundlerAgain()
  }
  return hash
}

async function untilIncluded(hash: Hex): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    const { result } = await insist('latchkey_waitForUserOperation', [hash])
    if ((result as { state?: string } | undefined)?.state === 'included') return
  }
  throw new TypeError(`${hash} was accepted and is lost.`)
}

test('default: killed at a random write, with the bundler or without it: nothing is lost, and the books are the chain', async () => {
  const hashes: Hex[] = []
  for (let round = 0; round < rounds; round++) {
    const [version, write, when, killsBundler] = [
      round % 2 === 0 ? '0.6.0' : '0.7.0',
      randomInt(1, 16),
      randomInt(2) === 0 ? 'before' : 'after',
      round % 5 === 4,
    ] as const
    console.info(`round ${round}: ${version}, ${when} write ${write}${killsBundler ? ', the bundler too' : ''}`)
    hashes.push(await crash(version, write, when, killsBundler))
  }
  for (const hash of hashes) await untilIncluded(hash)
  expect(kills).toBeGreaterThan(0)
  expect(await checkBooks(gateway, addresses)).toEqual([])
}, 900_000)
