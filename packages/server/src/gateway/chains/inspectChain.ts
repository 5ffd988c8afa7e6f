import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { type ChainState, noteChain } from '../../store/chainStates.ts'
import { readBlock } from '../operations/readInclusions.ts'
import { readPaymaster } from '../paymasters/watchPaymasters.ts'
import { RpcError } from '../rpc/RpcError.ts'
import type { Chain } from './createChain.ts'

const entryPoints = z.array(z.string().regex(/^0x[0-9a-fA-F]{40}$/)).max(20)

/** Checks a chain's node and bundler, and stores the result for operators. Stores failures by their code. */
export async function inspectChain(db: Db, { chainId, node, bundler, schemes }: Chain): Promise<void> {
  let failure: string | null = null
  async function attempt<found>(ask: () => Promise<found>): Promise<found | null> {
    try {
      return await ask()
    } catch (error) {
      failure ??= error instanceof RpcError || error instanceof ServerError ? error.code : 'INTERNAL'
      return null
    }
  }
  const [block, supported, paymasters] = await Promise.all([
    attempt(() => readBlock(node, 'latest')),
    attempt(async () => entryPoints.parse(await bundler.call('eth_supportedEntryPoints', []))),
    Promise.all(schemes.map((scheme) => attempt(() => readPaymaster(node, scheme)))),
  ])
  const state: ChainState = {
    head: block && { number: String(block.number), time: block.time.toISOString() },
    bundlerEntryPoints: supported,
    paymasters: paymasters.flatMap((found) =>
      found
        ? [
            {
              entryPoint: found.entryPoint,
              paymaster: found.paymaster,
              deposit: String(found.deposit),
              stake: String(found.stake),
              isStaked: found.isStaked,
            },
          ]
        : [],
    ),
  }
  await noteChain(db, chainId, state, failure)
}
