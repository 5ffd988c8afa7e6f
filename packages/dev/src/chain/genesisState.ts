import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { startBundler } from '../bundler/startBundler.ts'
import { freePorts } from '../devnet/freePorts.ts'
import { ensureThirdParty } from '../thirdParty/ensureThirdParty.ts'
import { artifactFingerprint } from './artifacts.ts'
import { saveState } from './chainState.ts'
import { devAddresses } from './devAddresses.ts'
import { placements } from './placeContracts.ts'
import { prepareChain } from './prepareChain.ts'
import { spawnAnvil } from './spawnAnvil.ts'

export declare namespace genesisState {
  type Parameters = {
    /** Cache folder, which several devnets may share. */
    cacheDir: string
    chainId: number
    log?: ((line: string) => void) | undefined
  }
  type ReturnType = {
    path: string
    /** Hash that changes with every contract in the state and every program that creates the state. */
    name: string
  }
}

/** Revision of `prepareChain`. Increase it after a change that its inputs do not reflect. */
const revision = 2

/**
 * Returns the genesis state of a dev chain, with all contracts and the bundler's helper contracts. The state is created
 * once on this machine from the installed packages and never shipped, because EntryPoints, paymasters and bundler are
 * under the GPL.
 */
export async function genesisState(parameters: genesisState.Parameters): Promise<genesisState.ReturnType> {
  const { cacheDir, chainId, log } = parameters
  const name = genesisName(chainId, await ensureThirdParty({ cacheDir, log }))
  const path = join(cacheDir, `genesis-${name}.json`)
  if (!existsSync(path)) await buildGenesis({ cacheDir, path, name, chainId, log })
  return { path, name }
}

function genesisName(chainId: number, thirdParty: ensureThirdParty.ReturnType): string {
  const anvil = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
  return createHash('sha256')
    .update(`${revision} ${chainId} ${JSON.stringify([devAddresses, placements])} ${artifactFingerprint(thirdParty)}`)
    .update(readFileSync(anvil))
    .update(thirdParty.fingerprint)
    .digest('hex')
    .slice(0, 16)
}

type Build = genesisState.Parameters & { path: string; name: string }

async function buildGenesis({ cacheDir, path, name, chainId, log }: Build): Promise<void> {
  const port = await freePorts(2)
  const chain = await spawnAnvil({ port, chainId, log })
  try {
    await prepareChain({ rpcUrl: chain.url, cacheDir })
    // Lets the bundler deploy its simulation contracts, so that the saved state contains them.
    const entryPoints = Object.values(devAddresses.entryPoints)
    const bundler = await startBundler({ port: port + 1, nodeUrl: chain.url, entryPoints, cacheDir, log })
    await bundler.close()
    await saveState({ rpcUrl: chain.url, path, label: { chainId, genesis: name } })
  } finally {
    await chain.close()
  }
}
