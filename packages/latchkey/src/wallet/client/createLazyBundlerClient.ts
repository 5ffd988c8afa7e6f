import { type Chain, createClient, type EIP1193RequestFn, type Transport } from 'viem'
import { getRpcUrl } from '../../core/chains/getRpcUrl.ts'
import { bundlerChunk } from '../chunks.ts'
import { readNames } from './actions/readNames.ts'
import type { ReadActions } from './actions/reads.ts'
import type { BundlerActions, BundlerClient, Connection } from './types.ts'

type Actions = ReadActions & BundlerActions

/** Names of the actions. An object, so that TypeScript detects missing names. */
const actionNames: { readonly [name in keyof Actions]: true } = {
  ...readNames,
  getSupportedEntryPoints: true,
  getUserOperationByHash: true,
  getUserOperationReceipt: true,
}

/**
 * Creates a bundler client that loads transport and actions at the first call. It is a viem client, so `extend` and
 * viem's actions work immediately.
 */
export function createLazyBundlerClient(parameters: {
  chain: Chain
  connection?: Connection | undefined
}): BundlerClient {
  const { chain, connection } = parameters
  const url = getRpcUrl({ chain, ...connection })
  let made: BundlerClient | undefined
  const load = async () => {
    const { createBundlerClient } = await bundlerChunk.load()
    made ??= createBundlerClient({ chain, connection })
    return made
  }
  const request: EIP1193RequestFn = async (call: Parameters<EIP1193RequestFn>[0], options) =>
    (await load()).transport.request(call, options)
  const transport: Transport = () => ({
    config: { key: 'http', name: 'HTTP JSON-RPC', type: 'http', retryCount: 3, timeout: 20_000, request },
    request,
    value: { url },
  })
  return createClient({ chain, transport, name: 'Latchkey bundler client', type: 'bundlerClient' }).extend(() =>
    lazyActions(load),
  )
}

function lazyActions(load: () => Promise<BundlerClient>): Actions {
  const names = Object.keys(actionNames) as (keyof Actions)[]
  const actions = names.map((name) => [
    name,
    async (...values: readonly never[]) => {
      const action = (await load())[name] as (...values: readonly never[]) => unknown
      return action(...values)
    },
  ])
  return Object.fromEntries(actions) as Actions
}
