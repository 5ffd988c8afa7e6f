import { afterAll, beforeAll } from 'vitest'
import { startTestChain, type TestChain } from '../chain.ts'
import { startPatientBundler } from './startPatientBundler.ts'

/** Provides the tests of a file with a chain and a bundler that bundles only on request. */
export function setBundlers() {
  let devnet: TestChain
  let bundler: Awaited<ReturnType<typeof startPatientBundler>>
  beforeAll(async () => {
    devnet = await startTestChain({ bundler: true })
    bundler = await startPatientBundler(devnet.nodeUrl)
  })
  afterAll(async () => {
    await bundler?.close()
    await devnet?.close()
  })
  return {
    get devnet(): TestChain {
      return devnet
    },
    get bundler() {
      return bundler
    },
  }
}
