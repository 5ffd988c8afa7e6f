import { afterAll, beforeAll } from 'vitest'
import { startTestChain, type TestChain } from '../chain.ts'
import { startPatientBundler } from './startPatientBundler.ts'

export type BundlerStage = {
  /** A chain with a bundler of its own. */
  world: TestChain
  /** One that holds operations back; see `startPatientBundler`. */
  bundler: Awaited<ReturnType<typeof startPatientBundler>>
}

/** A chain, its bundler and a patient one, for the tests of a file. */
export function setBundlers(): BundlerStage {
  let world: TestChain
  let bundler: BundlerStage['bundler']
  beforeAll(async () => {
    world = await startTestChain({ bundler: true })
    bundler = await startPatientBundler(world.nodeUrl)
  })
  afterAll(async () => {
    await bundler?.close()
    await world?.close()
  })
  return {
    get world() {
      return world
    },
    get bundler() {
      return bundler
    },
  }
}
