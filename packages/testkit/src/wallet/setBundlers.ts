import { afterAll, beforeAll } from 'vitest'
import { startTestChain, type TestChain } from '../chain.ts'
import { test } from '../worker.ts'
import { startPatientBundler } from './startPatientBundler.ts'

/** Provides the worker's chain, or an own one with `isOwn`, and a patient bundler to the tests of a file. */
export function setBundlers({ isOwn = false } = {}) {
  let world: TestChain
  let bundler: Awaited<ReturnType<typeof startPatientBundler>>
  if (isOwn) {
    beforeAll(async () => {
      world = await startTestChain({ bundler: true })
    })
    afterAll(() => world?.close())
  } else
    test.beforeAll(({ chain }) => {
      world = chain
    })
  beforeAll(async () => {
    bundler = await startPatientBundler(world.nodeUrl)
  })
  afterAll(() => bundler?.close())
  return {
    get world(): TestChain {
      return world
    },
    get bundler() {
      return bundler
    },
  }
}
