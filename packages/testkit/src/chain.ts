import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBundler } from '../../dev/src/bundler/startBundler.ts'
import { devAddresses } from '../../dev/src/chain/devAddresses.ts'
import { startChain } from '../../dev/src/chain/startChain.ts'
import { cacheFolder } from '../../dev/src/world/dataFolder.ts'
import { freePorts } from '../../dev/src/world/freePorts.ts'

/** A dev chain of its own with its bundler for one test file, on free ports, in a folder that `close` removes. */
export async function startTestChain(): Promise<{
  nodeUrl: string
  bundlerUrl: string
  chainId: number
  close(): Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-chain-'))
  const forget = () => rm(folder, { recursive: true, force: true })
  try {
    const { chain, bundler, chainId } = await start(folder)
    return {
      nodeUrl: chain.url,
      bundlerUrl: bundler.url,
      chainId,
      async close() {
        await bundler.close()
        await chain.close()
        await forget()
      },
    }
  } catch (error) {
    await forget()
    throw error
  }
}

/** A port found free may be taken before it is used: three attempts. */
async function start(folder: string) {
  const chainId = 31337
  for (let attempt = 1; ; attempt++) {
    const port = await freePorts(2)
    let chain: startChain.ReturnType | undefined
    try {
      const statePath = join(folder, `state-${attempt}.json`)
      chain = await startChain({ port, chainId, statePath, cacheDir: cacheFolder(folder) })
      const entryPoints = Object.values(devAddresses.entryPoints)
      const bundler = await startBundler({ port: port + 1, nodeUrl: chain.url, entryPoints })
      return { chain, bundler, chainId }
    } catch (error) {
      await chain?.close()
      if (attempt === 3) throw error
    }
  }
}
