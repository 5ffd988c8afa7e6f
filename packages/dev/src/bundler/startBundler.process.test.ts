import { execFileSync } from 'node:child_process'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { cacheDir, startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../chain/devAddresses.ts'
import { rpc } from '../chain/rpc.ts'
import { spawnAnvil } from '../chain/spawnAnvil.ts'
import { freePorts } from '../devnet/freePorts.ts'
import { startBundler } from './startBundler.ts'

const { entryPoints } = devAddresses

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain({ bundler: true })
})
afterAll(() => chain.close())

test('serves both entry points', async () => {
  const request = (method: string) => rpc({ url: chain.bundlerUrl, method })
  expect(await request('eth_chainId')).toBe('0x7a69')
  expect(await request('eth_supportedEntryPoints')).toEqual(Object.values(entryPoints))
})

test.each([
  ['a rebound name', { host: 'evil.example' }],
  ['a page', { origin: 'http://evil.example' }],
  ['a page that would move its clock', { origin: 'http://evil.example', 'latchkey-clock-ahead-ms': '1000' }],
])('refuses %s', async (_, headers) => {
  expect(await statusOf(chain.bundlerUrl, {})).toBe(200)
  expect(await statusOf(chain.bundlerUrl, headers)).toBe(403)
})

test('listens on loopback alone', async () => {
  const port = new URL(chain.bundlerUrl).port
  const outside = Object.values(networkInterfaces())
    .flat()
    .filter((each) => each !== undefined && !each.internal && each.family === 'IPv4')
    .map((each) => `http://${each?.address}:${port}`)
  // 127.0.0.2 serves as another interface on machines without a network.
  for (const url of [...outside, `http://127.0.0.2:${port}`]) {
    await expect(rpc({ url, method: 'eth_chainId', timeoutMs: 2_000 })).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
    })
  }
})

test('fails on a chain without entry points', async () => {
  const port = await freePorts(2)
  const bare = await spawnAnvil({ port, chainId: 31337 })
  try {
    const started = startBundler({
      port: port + 1,
      nodeUrl: bare.url,
      entryPoints: [entryPoints['0.6.0']],
      cacheDir,
    })
    await expect(started).rejects.toMatchObject({
      code: 'CHILD_EXITED',
      message: expect.stringMatching(/^The bundler ended with code 1\..*entry ?point/is),
    })
  } finally {
    await bare.close()
  }
})

test('leaves no process after a start that takes too long', async () => {
  const port = await freePorts(1)
  const options = { port, nodeUrl: chain.nodeUrl, entryPoints: [entryPoints['0.6.0']], cacheDir }
  await expect(startBundler({ ...options, timeoutMs: 1 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(`--port ${port}`)
})

/** Sends a request with any Host header, which `fetch` cannot set. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
    sent.on('response', (response) => resolve(response.resume().statusCode))
    sent.on('error', reject)
    sent.end('{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}')
  })
}
