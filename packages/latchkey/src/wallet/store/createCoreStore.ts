import type { Chain } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { createLazyBundlerClient } from '../client/createLazyBundlerClient.ts'
import { createStoredStore, type StoredPart } from './createStoredStore.ts'
import type { ChainConnection, CoreState, CoreStore, PersistedCoreState } from './types.ts'

export declare namespace createCoreStore {
  type Parameters = Pick<StoredPart<CoreState>, 'key' | 'storage' | 'ssr'> & {
    chain: Chain
    connections: ReadonlyMap<number, ChainConnection>
  }
}

/** Creates the store of chain and connections. Persists only the chain id. */
export function createCoreStore({ chain, connections, ...stored }: createCoreStore.Parameters): CoreStore {
  return createStoredStore<CoreState>(
    { connections, ...onChain(connections, chain) },
    {
      ...stored,
      select: (state): PersistedCoreState => ({ chainId: state.chain.id }),
      restore: (state, current) => restoreCoreState(state, current, chain),
    },
  )
}

/** Returns the state with the stored chain as the active chain, or with `chain` if there is none. */
export function restoreCoreState(stored: unknown, current: CoreState, chain: Chain): CoreState {
  const { connections } = current
  const known = connections.get(Number((stored as Partial<PersistedCoreState> | undefined)?.chainId))?.chain ?? chain
  return known.id === current.chain.id ? current : { ...current, ...onChain(connections, known) }
}

/** Returns the members of the state that depend on the chain. */
export function onChain(
  connections: ReadonlyMap<number, ChainConnection>,
  chain: Chain,
): Pick<CoreState, 'chain' | 'bundlerClient'> {
  return { chain, bundlerClient: createLazyBundlerClient({ chain, connection: connections.get(chain.id) }) }
}

/** Creates the error for a chain that is not configured. */
export function chainNotFound(chain: Pick<Chain, 'id' | 'name'>): BaseError {
  return new BaseError('Chain not found in connections', {
    code: 'CHAIN_NOT_FOUND',
    metaMessages: [`Chain: ${chain.name} (${chain.id})`, 'Add it to `connections` of `createConfig`.'],
    name: 'ChainNotFoundError',
  })
}
