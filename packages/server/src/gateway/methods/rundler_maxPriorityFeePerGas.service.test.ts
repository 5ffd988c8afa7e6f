import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createUpstream } from '../rpc/createUpstream.ts'
import { createPriorityFeeReader } from './rundler_maxPriorityFeePerGas.ts'

const cleanups: (() => void)[] = []

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

async function startUpstream(kind: 'node' | 'bundler', responses: Record<string, object>) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    asked.push(method)
    const unknown = { error: { code: -32601, message: 'Method not found' } }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(responses[method] ?? unknown) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, upstream: createUpstream({ kind, urls: [url], timeoutMs: 5_000 }) }
}

function ticking(): () => number {
  let now = 0
  return () => {
    now += 2_000
    return now
  }
}

const alto = { pimlico_getUserOperationGasPrice: { result: { standard: { maxPriorityFeePerGas: '0x20' } } } }
const nodeResults = { eth_maxPriorityFeePerGas: { result: '0x30' } }

test('asks the bundler first', async () => {
  const bundler = await startUpstream('bundler', { ...alto, rundler_maxPriorityFeePerGas: { result: '0x10' } })
  const node = await startUpstream('node', nodeResults)
  const read = createPriorityFeeReader({ bundler: bundler.upstream, node: node.upstream })
  expect(await read()).toBe(0x10n)
  expect({ bundler: bundler.asked, node: node.asked }).toEqual({ bundler: ['rundler_maxPriorityFeePerGas'], node: [] })
})

test('asks the node when the bundler fails', async () => {
  const failing = { error: { code: -32603, message: 'busy' } }
  const bundler = await startUpstream('bundler', { rundler_maxPriorityFeePerGas: failing })
  const node = await startUpstream('node', nodeResults)
  const read = createPriorityFeeReader({ bundler: bundler.upstream, node: node.upstream, now: ticking() })
  expect(await read()).toBe(0x30n)
  // The bundler supports the method, so it is called again.
  await read()
  expect(bundler.asked.filter((method) => method === 'rundler_maxPriorityFeePerGas')).toHaveLength(2)
})

test('caches a fee for a second and never a failure', async () => {
  const responses: Record<string, object> = { rundler_maxPriorityFeePerGas: { result: 'lots' } }
  const bundler = await startUpstream('bundler', responses)
  const node = await startUpstream('node', nodeResults)
  let clock = 0
  const read = createPriorityFeeReader({ bundler: bundler.upstream, node: node.upstream, now: () => clock })
  await expect(read()).rejects.toThrow()
  responses.rundler_maxPriorityFeePerGas = { result: '0x10' }
  expect(await Promise.all([read(), read()])).toEqual([0x10n, 0x10n])
  responses.rundler_maxPriorityFeePerGas = { result: '0x11' }
  clock = 999
  expect(await read()).toBe(0x10n)
  clock = 1_000
  expect(await read()).toBe(0x11n)
  expect(bundler.asked).toHaveLength(3)
})

test('raises the fee by an eighth per ten minutes at most while blocks have space, and lowers it at once', async () => {
  const price = (fee: string) => ({
    pimlico_getUserOperationGasPrice: { result: { standard: { maxPriorityFeePerGas: fee } } },
  })
  const history = (...gasUsedRatio: number[]) => ({ eth_feeHistory: { result: { gasUsedRatio } } })
  const [prices, blocks] = [price('0x40'), history(0.1, 0.49)]
  const bundler = await startUpstream('bundler', prices)
  const node = await startUpstream('node', blocks)
  let now = 0
  const read = createPriorityFeeReader({ bundler: bundler.upstream, node: node.upstream, now: () => now })
  const later = (ms: number) => {
    now += ms
    return read()
  }
  expect(await read()).toBe(64n)
  Object.assign(prices, price('0x80'))
  expect(await later(2_000)).toBe(64n)
  expect(await later(600_000)).toBe(72n)
  expect(await later(2_000)).toBe(72n)
  Object.assign(prices, price('0x20'))
  expect(await later(2_000)).toBe(32n)
  // The fee follows the market when blocks are full, or when the node does not report how full they are.
  Object.assign(prices, price('0x90'))
  Object.assign(blocks, history(0.1, 0.5))
  expect(await later(2_000)).toBe(0x90n)
  Object.assign(prices, price('0x91'))
  Object.assign(blocks, { eth_feeHistory: { error: { code: -32601, message: 'Method not found' } } })
  expect(await later(2_000)).toBe(0x91n)
})
