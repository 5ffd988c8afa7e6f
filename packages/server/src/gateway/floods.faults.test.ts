import { sponsoredOperation } from '@latchkey/testkit/gateway/lightOperation'
import { type HoldingNode, startHoldingNode } from '@latchkey/testkit/gateway/startHoldingNode'
import { type RpcReply, startTestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { toHex } from 'viem'
import { afterAll, afterEach, expect, test } from 'vitest'
import { createApiKey } from '../store/apiKeys.ts'
import type { gatewayApp } from './app.ts'
import { bounds } from './gatewayLimits.ts'

/** An attacker has the public key that every page contains. Customers of other projects must not notice the flood. */
let node: HoldingNode
// Only the scheduler may stop the floods, which would otherwise use up the IP address's compute units.
const gateway = await startTestGateway({ limits: { unitsPerIp: { limit: 10_000_000, windowMs: 60_000 } } })
const publicKey = (await createApiKey(gateway.db, { projectId: 'app', name: 'Public' })).secret
afterEach(async () => {
  node?.release()
  await node?.close()
})
afterAll(() => gateway.close())

async function startFlooded(holds: readonly string[]): Promise<ReturnType<typeof gatewayApp>> {
  node = await startHoldingNode({ nodeUrl: gateway.chain.nodeUrls[0] ?? '', holds })
  return gateway.withChain({ nodeUrls: [node.url] })
}

function flood(app: ReturnType<typeof gatewayApp>, method: string, params: unknown, count: number) {
  const over: (RpcReply & { status: number })[] = []
  const post = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await app.request(`/v2/${publicKey}`, { method: 'POST', body })
    over.push({ status: response.status, ...((await response.json()) as RpcReply) })
  }
  return { over, done: Promise.all(Array.from({ length: count }, post)) }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 12_000 && !isSo(); tries++) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(isSo()).toBe(true)
}

const account = `0x${'11'.repeat(20)}`
const gas = toHex(bounds.callGas)
/** Number of calls at the gas cap that fit into one IP address's half of the node's capacity. */
const fitting = Number(bounds.gasAtOnce / 2n / bounds.callGas)

test.each([
  ['eth_call', [{ to: account, gas }, 'latest']],
  ['eth_estimateGas', [{ to: account, gas }]],
  ['eth_createAccessList', [{ to: account, gas }, 'latest']],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: account }] }] }, 'latest']],
])('runs a few calls of a %s flood at a time while another key sends', async (method, params) => {
  const startedAt = performance.now()
  // The attacker's calls return only after the others have been sent.
  const app = await startFlooded([`"${method}"`, account])
  const attack = flood(app, method, params, 100)
  const refused = 100 - fitting - bounds.waitingCalls.perMember
  await until(() => node.held() === fitting && attack.over.length >= refused)
  for (const { status, error } of attack.over)
    expect([status, error?.code, error?.data?.code]).toEqual([429, -32005, 'RATE_LIMIT_EXCEEDED'])

  const other = { ...gateway, ask: (name: string, given: unknown) => gateway.ask(name, given, app) }
  const { signed } = await sponsoredOperation(other, '0.7.0')
  expect(await gateway.ask('eth_sendUserOperation', signed.params, app)).toMatchObject({ result: signed.hash })
  expect((await gateway.waitForReceipt(signed.hash))?.success).toBe(true)
  expect([node.held(), node.most()]).toEqual([fitting, fitting])
  const over = attack.over.length
  node.release()
  await attack.done
  const served = attack.over.filter(({ status }) => status === 200).length
  const all = { over: refused, served: fitting + bounds.waitingCalls.perMember }
  // Queued calls time out, which may happen on a busy machine.
  const isInTime = performance.now() - startedAt < bounds.waitingMs
  expect(isInTime ? { over, served } : all).toEqual(all)
  expect(served).toBeGreaterThanOrEqual(fitting)
})

test('leaves the bundler to another key during a flood of estimates', async () => {
  const { operation, signed } = await sponsoredOperation(gateway, '0.7.0')
  const nodeUrl = gateway.chain.bundlerUrls[0] ?? ''
  const holding = await startHoldingNode({ nodeUrl, holds: ['"eth_estimateUserOperationGas"'] })
  try {
    const app = gateway.withChain({ bundlerUrls: [holding.url] })
    const [{ signature, ...userOperation }, entryPoint] = signed.params
    const estimated = [{ ...userOperation, signature: operation.dummySignature }, entryPoint]
    const attack = flood(app, 'eth_estimateUserOperationGas', estimated, 50)
    const half = bounds.estimatesAtOnce / 2
    await until(() => holding.held() === half)
    // Another key's estimate reaches the bundler, and an earlier sponsored operation is accepted.
    const other = gateway.ask('eth_estimateUserOperationGas', [{ ...userOperation, signature }, entryPoint], app)
    await until(() => holding.held() === half + 1)
    expect(await gateway.ask('eth_sendUserOperation', signed.params, app)).toMatchObject({ result: signed.hash })
    holding.release()
    expect((await other).error?.data?.code).not.toBe('RATE_LIMIT_EXCEEDED')
    await attack.done
  } finally {
    holding.release()
    await holding.close()
  }
})
