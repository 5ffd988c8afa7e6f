import { test as base, type TestAPI } from 'vitest'
import { startTestChain, type TestChain } from '../chain.ts'

type ChainFixtures = {
  node: TestChain
  /** Chain of the worker, reverted after each file. */
  chain: TestChain
}

export const test: TestAPI<ChainFixtures> = base.extend<ChainFixtures>({
  node: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture uses from this pattern.
    async ({}, use) => {
      const node = await startTestChain()
      await use(node)
      await node.close()
    },
    { scope: 'worker' },
  ],
  chain: [
    async ({ node }, use) => {
      const snapshot = await node.request('evm_snapshot')
      await use(node)
      await node.request('evm_revert', [snapshot])
    },
    { scope: 'file' },
  ],
})
