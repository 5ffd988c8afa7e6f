import { afterAll, beforeAll } from 'vitest'
import { startTestChain, type TestChain } from '../chain.ts'
import { test } from '../worker.ts'
import { startPatientBundler } from './startPatientBundler.ts'

/** Provides the worker's chain, or an own one with `isOwn`, and a patient bundler to the tests of a file. */
export function setBundlers({ isOwn = false } = {}) {
  let devnet: TestChain
  let bundler: Awaited<ReturnType<typeof startPatientBundler>>
  if (isOwn) {
    beforeAll(async () => {
      devnet = await startTestChain({ bundler: true })
    })
    afterAll(() => devnet?.close())
  } else
    test.beforeAll(({ chain }) => {
      devnet = chain
    })
  beforeAll(async () => {
    bundler = await startPatientBundler(devnet.nodeUrl)
  })
  afterAll(() => bundler?.close())
  return {
    get devnet(): TestChain {
      return devnet
    },
    get bundler() {
      return bundler
    },
  }
}
