import { afterAll, beforeAll } from 'vitest'
import { startTestChain, type TestChain } from '../chain.ts'
import { test } from '../worker.ts'
import { startPatientBundler } from './startPatientBundler.ts'

export type BundlerStage = {
  /** A chain with its bundler. */
  world: TestChain
  /** One that holds operations back; see `startPatientBundler`. */
  bundler: Awaited<ReturnType<typeof startPatientBundler>>
}

/** The worker's chain and a patient bundler for the tests of a file; a chain of its own with `isOwn`, see `setChain`. */
export function setBundlers({ isOwn = false } = {}): BundlerStage {
  let world: TestChain
  let bundler: BundlerStage['bundler']
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
    get world() {
      return world
    },
    get bundler() {
      return bundler
    },
  }
}
