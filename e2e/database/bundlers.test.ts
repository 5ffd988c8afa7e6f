import { cacheDir } from '@latchkey/testkit/chain'
import { type Redis, startRedis } from '@latchkey/testkit/faults/startRedis'
import { type SignedOperation, sponsoredOperation } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { freePorts } from 'latchkey-dev/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startBundler } from '../../packages/dev/src/bundler/startBundler.ts'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'
import { rpc } from '../../packages/dev/src/chain/rpc.ts'

// Two Alto bundlers share their operations through Redis behind one gateway.

let gateway: TestGateway
let redis: Redis
let ports: [number, number]
const running = new Map<number, startBundler.ReturnType>()

beforeAll(async () => {
  redis = await startRedis()
  const first = await freePorts(2)
  ports = [first, first + 1]
  const bundlerUrls = ports.map((port) => `http://localhost:${port}`)
  gateway = await startTestGateway({ background: true, chainOptions: { bundlerUrls } })
  // The gateway's own bundler has the same executor.
  await gateway.node.killBundler()
})
beforeEach(async () => {
  for (const port of running.keys()) await stop(port)
})
afterAll(async () => {
  for (const port of running.keys()) await stop(port)
  await gateway?.close()
  await redis?.close()
})

/** `pauseMs` is the time a bundler waits for more operations before it bundles. */
async function start(port: number, pauseMs = 10): Promise<startBundler.ReturnType> {
  const bundler = await startBundler({
    port,
    nodeUrl: gateway.node.nodeUrl,
    entryPoints: Object.values(devAddresses.entryPoints),
    cacheDir,
    settings: {
      'enable-horizontal-scaling': true,
      'redis-endpoint': redis.url,
      'min-bundle-interval': pauseMs,
      'max-bundle-interval': pauseMs * 5,
    },
  })
  running.set(port, bundler)
  return bundler
}

async function stop(port: number): Promise<void> {
  await running.get(port)?.close()
  running.delete(port)
}

/** Nothing sends the operation again because it does not go through our gateway. */
const sendTo = (bundler: startBundler.ReturnType, { params }: SignedOperation) =>
  rpc<string>({ url: bundler.url, method: 'eth_sendUserOperation', params })

test('bundles an operation that the other bundler accepted', async () => {
  const [slow, quick] = [await start(ports[0], 600_000), await start(ports[1])]
  const { signed } = await sponsoredOperation(gateway, '0.7.0')
  expect(await sendTo(slow, signed)).toBe(signed.hash)
  const receipt = () =>
    rpc<{ success: boolean } | null>({ url: quick.url, method: 'eth_getUserOperationReceipt', params: [signed.hash] })
  await expect.poll(receipt, { timeout: 30_000 }).toMatchObject({ success: true })
})

test('bundles an operation that a killed bundler held', async () => {
  const first = await start(ports[0], 600_000)
  const { signed } = await sponsoredOperation(gateway, '0.7.0')
  expect(await sendTo(first, signed)).toBe(signed.hash)
  process.kill(first.pid, 'SIGKILL')
  await stop(ports[0])
  await start(ports[1])
  expect(await gateway.waitForReceipt(signed.hash)).toMatchObject({ success: true })
})

test('includes operations of many accounts sent through both bundlers once each', async () => {
  const both = [await start(ports[0]), await start(ports[1])]
  const all = await Promise.all(Array.from({ length: 12 }, () => sponsoredOperation(gateway, '0.7.0')))
  await Promise.all(all.map(({ signed }, index) => sendTo(both[index % 2] as startBundler.ReturnType, signed)))
  for (const { signed } of all) expect(await gateway.waitForReceipt(signed.hash)).toMatchObject({ success: true })
})
