import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startTestChain } from '@latchkey/testkit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'

/** The contract suite runs on an existing node. */

let chain: Awaited<ReturnType<typeof startTestChain>>
beforeAll(async () => {
  chain = await startTestChain()
  // A copy of another network has that network's chain id.
  await chain.request('anvil_setChainId', [4242])
})
afterAll(() => chain.close())

const { factory } = devAddresses.lightAccount['v2.0.0']
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['scripts/testContracts.mjs', ...args], {
    // The program must not notice that it runs inside a test.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR },
    timeout: 280_000,
  }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )

/** Vitest inside Vitest takes half a minute on an idle machine. */
const patience = { timeout: 600_000 }

test('tests the code behind --rpc-url and restores the chain', patience, async () => {
  const codeBefore = await chain.request('eth_getCode', [factory, 'latest'])
  const nonceBefore = await chain.request('eth_getTransactionCount', [factory, 'latest'])
  const filters = ['lightAccount/LightAccountFactories', 'lightAccount/v1/LightAccountV1']
  const good = await run('--rpc-url', chain.nodeUrl, ...filters)
  expect(good.stdout).toMatch(/\n[1-9]\d* passed, 0 failed\n$/)
  expect(good.code).toBe(0)
  expect(await chain.request('eth_getTransactionCount', [factory, 'latest'])).toBe(nonceBefore)

  // Replaces the factory by code that creates nothing.
  await chain.request('anvil_setCode', [factory, '0x600160005260206000f3'])
  const bad = await run('--rpc-url', chain.nodeUrl, 'lightAccount/LightAccountFactories')
  expect(bad.stdout).toMatch(/, [1-9]\d* failed\n$/)
  expect(bad.code).toBe(1)
  await chain.request('anvil_setCode', [factory, codeBefore])
})

test('refuses a --rpc-url that is no URL and unknown options', async () => {
  for (const args of [['--rpc-url', 'localhost:8545'], ['--rpc']]) {
    const { code, stderr } = await run(...args)
    expect(code).toBe(2)
    expect(stderr).toContain('Usage: npm run test:contracts')
  }
})
