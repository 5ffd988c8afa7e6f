import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startTestChain } from '@latchkey/testkit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'

/** The contract suite on a node that was there before. */

let chain: Awaited<ReturnType<typeof startTestChain>>
beforeAll(async () => {
  chain = await startTestChain()
  // As on a copy of another network.
  await chain.request('anvil_setChainId', [4242])
})
afterAll(() => chain.close())

const { factory } = devAddresses.lightAccount['v2.0.0']
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['scripts/testContracts.mjs', ...args], {
    // Without what tells a program that it runs inside a test.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR },
    timeout: 280_000,
  }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )

/** A run of Vitest inside of this one takes half a minute where nothing else runs. */
const patience = { timeout: 600_000 }

test('param: --rpc-url: the code there is tested, and the chain is as it was', patience, async () => {
  const codeBefore = await chain.request('eth_getCode', [factory, 'latest'])
  const nonceBefore = await chain.request('eth_getTransactionCount', [factory, 'latest'])
  const filters = ['lightAccount/LightAccountFactories', 'lightAccount/v1/LightAccountV1']
  const good = await run('--rpc-url', chain.nodeUrl, ...filters)
  expect(good.stdout).toMatch(/\n[1-9]\d* passed, 0 failed\n$/)
  expect(good.code).toBe(0)
  expect(await chain.request('eth_getTransactionCount', [factory, 'latest'])).toBe(nonceBefore)

  // A factory that makes nothing.
  await chain.request('anvil_setCode', [factory, '0x600160005260206000f3'])
  const bad = await run('--rpc-url', chain.nodeUrl, 'lightAccount/LightAccountFactories')
  expect(bad.stdout).toMatch(/, [1-9]\d* failed\n$/)
  expect(bad.code).toBe(1)
  await chain.request('anvil_setCode', [factory, codeBefore])
})

test('error: --rpc-url: what is no URL of a node, and options that are none', async () => {
  for (const args of [['--rpc-url', 'localhost:8545'], ['--rpc']]) {
    const { code, stderr } = await run(...args)
    expect(code).toBe(2)
    expect(stderr).toContain('Usage: npm run test:contracts')
  }
})
