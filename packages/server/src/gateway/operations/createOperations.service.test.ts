import { randomBytes } from 'node:crypto'
import { sponsoredOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { holdRows } from '@latchkey/testkit/holdRows'
import type { OperationEvent, WaitForUserOperationResult } from 'latchkey-protocol'
import { type Address, type Hex, toHex } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { devAccountOf } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { openStore } from '../../platform/database/openStore.ts'
import { respondWithMetrics } from '../../platform/observability/metrics.ts'
import { createApiKey } from '../../store/apiKeys.ts'
import { upsertProject } from '../../store/upsertProject.ts'
import { createSemaphore } from './createSemaphore.ts'

const otherKey = randomBytes(16).toString('hex')
const origin = 'https://other.example'

// This file stops the bundler, so it starts its own chain.
const gateway = await startTestGateway({ background: true })
const store = await openStore({ databaseUrl: gateway.ownerUrl })
const { db } = gateway
await upsertProject(db, { id: 'other', name: 'Other', apiKey: otherKey, redirectUrls: [], allowedOrigins: [origin] })
const { secret: serverKey } = await createApiKey(db, { projectId: 'app', name: 'server', origins: [] })
const { secret: otherServerKey } = await createApiKey(db, { projectId: 'other', name: 'server', origins: [] })
afterAll(async () => {
  await store.close()
  await gateway.close()
})

const versions: Version[] = ['0.6.0', '0.7.0']
const send = (params: unknown) => gateway.ask('eth_sendUserOperation', params)

async function wait(hash: Hex, timeoutMs = 30_000): Promise<WaitForUserOperationResult> {
  const { result, error } = await gateway.ask('latchkey_waitForUserOperation', [hash, { timeoutMs }])
  expect(error).toBeUndefined()
  return result as WaitForUserOperationResult
}

async function readState(hash: Hex) {
  const rows = gateway.db.selectFrom('operations').select('state').where('user_op_hash', '=', hash)
  return (await rows.executeTakeFirstOrThrow()).state
}

async function askAsOther(method: string, params: unknown) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await gateway.app.request(`/v2/${otherKey}`, { method: 'POST', body })
  return (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
}

type Received = { id: string; data: OperationEvent }

async function openStream(key: string, lastEventId?: string) {
  const headers = { authorization: `Bearer ${key}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) }
  const response = await gateway.app.request('/v2/operations/events', { headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const queue: Received[] = []
  let rest = ''
  async function next(fits: (event: OperationEvent) => boolean): Promise<Received> {
    for (;;) {
      for (let event = queue.shift(); event; event = queue.shift()) if (fits(event.data)) return event
      const { value, done } = await reader.read()
      if (done) throw new TypeError('The stream ended.')
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, id, data] = /^id: (\d+)\nevent: operation\ndata: (.*)$/.exec(block) ?? []
        if (id && data) queue.push({ id, data: JSON.parse(data) as OperationEvent })
      }
    }
  }
  return { next, close: () => reader.cancel() }
}

test.each(versions)('waits for an operation and returns its receipt, entry point %s', async (version) => {
  const { signed } = await sponsoredOperation(gateway, version)
  expect(await wait(signed.hash, 0)).toMatchObject({ state: 'signed', receipt: null, confirmed: false })
  const [waited, sent] = await Promise.all([wait(signed.hash), send(signed.params)])
  expect(sent.result).toBe(signed.hash)
  expect(waited).toMatchObject({ userOpHash: signed.hash, state: 'included', confirmed: true })
  const { result } = await gateway.ask('eth_getUserOperationReceipt', [signed.hash])
  const theirs = result as Record<string, string> & { logs: { logIndex: Hex }[]; receipt: { transactionHash: Hex } }
  const { receipt } = waited
  for (const field of ['userOpHash', 'sender', 'paymaster', 'actualGasCost', 'actualGasUsed'] as const)
    expect([field, receipt?.[field].toLowerCase()]).toEqual([field, String(theirs[field]).toLowerCase()])
  expect(receipt).toMatchObject({ success: true, nonce: '0x0', entryPoint: devAddresses.entryPoints[version] })
  expect(receipt?.receipt).toMatchObject({ transactionHash: theirs.receipt.transactionHash })
  expect(receipt?.logs.map((log) => (log as { logIndex: Hex }).logIndex)).toEqual(
    theirs.logs.map((log) => log.logIndex),
  )
})

test.each(versions)('ends a wait with the block, before the log has read it, entry point %s', async (version) => {
  const { signed } = await sponsoredOperation(gateway, version)
  // The lock stalls reading blocks into the log and the ledger.
  const cursors = await holdRows(store.pool, 'select from chain_cursors for update', [])
  try {
    expect((await send(signed.params)).result).toBe(signed.hash)
    const { state, confirmed, receipt } = await wait(signed.hash)
    expect([state, confirmed, receipt?.userOpHash]).toEqual(['included', true, signed.hash])
    expect(await readState(signed.hash)).toBe('seen')
  } finally {
    await cursors.release()
  }
  await expect.poll(() => readState(signed.hash)).toBe('included')
})

test('accepts repeated operations before and after inclusion', async () => {
  const { signed } = await sponsoredOperation(gateway, '0.7.0')
  const replies = await Promise.all([1, 2, 3].map(() => send(signed.params)))
  expect(replies.map(({ result }) => result)).toEqual(Array(3).fill(signed.hash))
  await wait(signed.hash)
  expect((await send(signed.params)).result).toBe(signed.hash)
})

test('logs a refusal and accepts the operation again with a right signature', async () => {
  const { signed } = await sponsoredOperation(gateway, '0.7.0')
  const [operation, entryPoint] = signed.params
  const wrong = { ...operation, signature: `0x00${'11'.repeat(64)}1b` }
  expect((await send([wrong, entryPoint])).error).toBeDefined()
  expect(await wait(signed.hash)).toMatchObject({ state: 'failed', failure: expect.any(String) })
  expect((await send(signed.params)).result).toBe(signed.hash)
  expect(await wait(signed.hash)).toMatchObject({ state: 'included' })
})

test('hides operations of another project', async () => {
  const { signed } = await sponsoredOperation(gateway, '0.7.0')
  for (const hash of [signed.hash, toHex(randomBytes(32))]) {
    const { error } = await askAsOther('latchkey_waitForUserOperation', [hash])
    expect(error).toMatchObject({ code: -32602, data: { code: 'NOT_FOUND' } })
  }
  // Another project can forward the operation without owning it.
  expect((await askAsOther('eth_sendUserOperation', signed.params)).result).toBe(signed.hash)
  expect((await askAsOther('latchkey_waitForUserOperation', [signed.hash])).error).toBeDefined()
  expect(await wait(signed.hash)).toMatchObject({ state: 'included' })
})

test('resends the same bytes of an operation lost by a killed bundler', async () => {
  const executor: Address = devAccountOf.bundlerExecutor.address
  const balance = await gateway.client.getBalance({ address: executor })
  // Without ether, the bundler accepts operations but cannot send bundles.
  await gateway.setBalance(executor, 0n)
  const { signed } = await sponsoredOperation(gateway, '0.7.0')
  expect((await send(signed.params)).result).toBe(signed.hash)
  await gateway.node.killBundler()
  await gateway.setBalance(executor, balance)
  await gateway.node.startBundlerAgain()
  for (let tries = 0; tries < 4 && (await wait(signed.hash)).state !== 'included'; tries++);
  const row = gateway.db.selectFrom('operations').select(['resends', 'request'])
  const { resends, request } = await row.where('user_op_hash', '=', signed.hash).executeTakeFirstOrThrow()
  expect(JSON.parse(request ?? '')).toEqual(signed.params)
  expect(resends).toBeGreaterThan(0)
})

test('delivers events in order and resumes after the last received one', async () => {
  const stream = await openStream(serverKey)
  const { signed } = await sponsoredOperation(gateway, '0.7.0')
  const isIt = ({ userOpHash }: OperationEvent) => userOpHash === signed.hash
  const first = await stream.next(isIt)
  expect(first.data).toMatchObject({
    state: 'signed',
    policyId: 'default',
    nonce: '0x0',
    chainId: toHex(gateway.chainId),
  })
  await stream.close()
  await send(signed.params)
  const { receipt } = await wait(signed.hash)
  const resumed = await openStream(serverKey, first.id)
  const states: string[] = []
  for (let last: OperationEvent | undefined; !last?.confirmed; ) {
    last = (await resumed.next(isIt)).data
    states.push(last.state)
    if (last.confirmed) expect(last).toMatchObject({ success: true, actualGasCost: receipt?.actualGasCost })
  }
  await resumed.close()
  expect(states.filter((state, index) => state !== states[index - 1])).toEqual(['sent', 'seen', 'included'])
})

test('requires a server key of the project, on no page, and streams only its events', async () => {
  const open = (path: string, headers: Record<string, string> = {}) => gateway.app.request(path, { headers })
  expect((await open('/v2/operations/events')).status).toBe(401)
  expect((await open('/v2/operations/events', { authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await open(`/v2/${gateway.apiKey}/operations/events`)).status).toBe(404)
  expect((await open('/v2/operations/events', { authorization: `Bearer ${otherKey}` })).status).toBe(403)
  const bad = { authorization: `Bearer ${otherServerKey}`, 'last-event-id': 'x' }
  expect((await open('/v2/operations/events', bad)).status).toBe(400)
  const fromPage = { authorization: `Bearer ${otherServerKey}`, origin }
  expect((await open('/v2/operations/events', fromPage)).status).toBe(403)

  const stream = await openStream(otherServerKey, '0')
  await sponsoredOperation(gateway, '0.7.0')
  const own = await askAsOther('eth_sendUserOperation', (await sponsoredOperation(gateway, '0.6.0')).signed.params)
  expect(own.result).toBeDefined()
  const count = await gateway.db.selectFrom('operation_events').select('id').where('project_id', '=', 'other').execute()
  expect(count).toEqual([])
  await stream.close()
})

test('limits the streams of an address and frees a place when one ends', async () => {
  const headers = { authorization: `Bearer ${otherServerKey}` }
  const open = () => gateway.app.request('/v2/operations/events', { headers })
  const streams = await Promise.all(Array.from({ length: 5 }, open))
  expect(streams.map(({ status }) => status)).toEqual(Array(5).fill(200))
  expect((await open()).status).toBe(429)
  await streams[0]?.body?.cancel()
  const again = await open()
  expect(again.status).toBe(200)
  for (const { body } of [again, ...streams.slice(1)]) await body?.cancel()
})

test('counts places by address, project and in total', () => {
  const take = createSemaphore('gateway.waits', { ip: 1, project: 2, all: 3 }, 'guests')
  const refused = { code: 'RATE_LIMIT_EXCEEDED', status: 429 }
  const leave = take({ projectId: 'a', ip: '1' })
  expect(() => take({ projectId: 'b', ip: '1' })).toThrow(expect.objectContaining(refused))
  take({ projectId: 'a', ip: undefined })
  expect(() => take({ projectId: 'a', ip: undefined })).toThrow(expect.objectContaining(refused))
  take({ projectId: 'b', ip: '2' })
  expect(() => take({ projectId: 'c', ip: '3' })).toThrow(expect.objectContaining(refused))
  leave()
  leave()
  take({ projectId: 'c', ip: '3' })
  expect(() => take({ projectId: 'd', ip: '4' })).toThrow(expect.objectContaining(refused))
})

test('counts operations, jobs and paymaster spend in metrics', async () => {
  const { signed } = await sponsoredOperation(gateway, '0.7.0')
  const scrape = async () => (await respondWithMetrics(new Request('http://localhost/metrics'))).text()
  const chain = String(gateway.chainId)
  const open = await scrape()
  expect(open).toMatch(new RegExp(`^latchkey_operations_open\\{chain="${chain}",state="signed"\\} [1-9]`, 'm'))
  expect(open).toMatch(new RegExp(`^latchkey_sponsorship_reserved_coins\\{chain="${chain}"\\} 0\\.0*[1-9]`, 'm'))
  await send(signed.params)
  await wait(signed.hash)
  // The metrics count the inclusion once the log has read the block.
  for (const state of ['signed', 'sent', 'seen', 'included']) {
    const line = `^latchkey_operations_total\\{chain="${chain}",state="${state}"\\} [1-9]`
    await expect.poll(scrape).toMatch(new RegExp(line, 'm'))
  }
  const figures = await scrape()
  expect(figures).toMatch(new RegExp(`^latchkey_sponsorship_spent_coins_total\\{chain="${chain}"\\} 0\\.0*[1-9]`, 'm'))
  expect(figures).toMatch(/^latchkey_jobs_total\{job="scan",outcome="done"\} [1-9]/m)
  expect(figures).toMatch(/^latchkey_jobs_waiting \d+$/m)
  expect(figures).toMatch(/^latchkey_jobs_oldest_seconds \d/m)
})
