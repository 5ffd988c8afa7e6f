import { sponsoredOperation } from '@latchkey/testkit/gateway/lightOperation'
import { type HoldingNode, startHoldingNode } from '@latchkey/testkit/gateway/startHoldingNode'
import { type RpcReply, startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { toHex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../store/apiKeys.ts'
import type { gatewayApp } from './app.ts'
import { bounds } from './gatewayLimits.ts'

/** A public key sits in every page of its app: an attacker has it, and another project's customers must not notice. */
let gateway: TestGateway
let node: HoldingNode
let publicKey: string
beforeAll(async () => {
  // Turns alone are to hold the floods back: all of them together use up an address's compute units.
  gateway = await startTestGateway({ limits: { unitsPerIp: { limit: 10_000_000, windowMs: 60_000 } } })
  publicKey = (await createApiKey(gateway.db, { projectId: 'app', name: 'Public' })).secret
})
afterEach(async () => {
  node?.release()
  await node?.close()
})
afterAll(() => gateway?.close())

async function startFlooded(holds: readonly string[]): Promise<ReturnType<typeof gatewayApp>> {
  node = await startHoldingNode({ nodeUrl: gateway.chain.nodeUrls[0] ?? '', holds })
  return gateway.withChain({ nodeUrls: [node.url] })
}

/** Calls of one method at the gas cap, all at once. Counts those that are over. */
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
/** How many calls at the cap fit into an address's half of what the node may work at. */
const fitting = Number(bounds.gasAtOnce / 2n / bounds.callGas)

test.each([
  ['eth_call', [{ to: account, gas }, 'latest']],
  ['eth_estimateGas', [{ to: account, gas }]],
  ['eth_createAccessList', [{ to: account, gas }, 'latest']],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: account }] }] }, 'latest']],
])(
  'behavior: a flood of %s at the cap runs a few at a time, and another key sends meanwhile',
  async (method, params) => {
    const startedAt = performance.now()
    // Nothing of the attacker's returns before the others have sent.
    const app = await startFlooded([`"${method}"`, account])
    const attack = flood(app, method, params, 100)
    const refused = 100 - fitting - bounds.waitingCalls.perMember
    // Those that no longer fit into the line of an address are refused at once.
    await until(() => node.held() === fitting && attack.over.length >= refused)
    for (const { status, error } of attack.over)
      expect([status, error?.code, error?.data?.code]).toEqual([429, -32005, 'RATE_LIMIT_EXCEEDED'])

    const { signed } = await sponsoredOperation(
      { ...gateway, ask: (name, given) => gateway.ask(name, given, app) },
      '0.7.0',
    )
    expect(await gateway.ask('eth_sendUserOperation', signed.params, app)).toMatchObject({ result: signed.hash })
    expect((await gateway.waitForReceipt(signed.hash))?.success).toBe(true)
    expect([node.held(), node.most()]).toEqual([fitting, fitting])
    const over = attack.over.length
    node.release()
    await attack.done
    const served = attack.over.filter(({ status }) => status === 200).length
    const all = { over: refused, served: fitting + bounds.waitingCalls.perMember }
    // Who waits gives up after a while, and a busy machine takes longer than that to send the other's.
    const isInTime = performance.now() - startedAt < bounds.waitingMs
    expect(isInTime ? { over, served } : all).toEqual(all)
    expect(served).toBeGreaterThanOrEqual(fitting)
  },
)

test('behavior: a flood of estimates leaves the bundler to another key', async () => {
  const { operation, signed } = await sponsoredOperation(gateway, '0.7.0')
  const nodeUrl = gateway.chain.bundlerUrls[0] ?? ''
  const holding = await startHoldingNode({ nodeUrl, holds: ['"eth_estimateUserOperationGas"'] })
  try {
    const app = gateway.withChain({ bundlerUrls: [holding.url] })
    const [{ signature, ...userOperation }, entryPoint] = signed.params
    const attack = flood(
      app,
      'eth_estimateUserOperationGas',
      [{ ...userOperation, signature: operation.dummySignature }, entryPoint],
      50,
    )
    const half = bounds.estimatesAtOnce / 2
    await until(() => holding.held() === half)
    // Another key's estimate is at the bundler, too, and what was signed for before is taken.
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
