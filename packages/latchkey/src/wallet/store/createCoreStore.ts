import type { Chain } from 'viem'
import { createJSONStorage, persist, subscribeWithSelector } from 'zustand/middleware'
import { createStore } from 'zustand/vanilla'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { createLazyBundlerClient } from '../client/createLazyBundlerClient.ts'
import type { ChainConnection, CoreState, CoreStore, PersistedCoreState } from './types.ts'

export declare namespace createCoreStore {
  type Parameters = {
    chain: Chain
    connections: ReadonlyMap<number, ChainConnection>
    storageKey: string
    storage: StoragePort
    ssr: boolean
  }
}

const version = 1

/** State of chain and connections. Stored: the id of the chain, nothing else. */
export function createCoreStore(parameters: createCoreStore.Parameters): CoreStore {
  const { chain, connections, storageKey, storage, ssr } = parameters
  const initial: CoreState = { connections, ...onChain(connections, chain) }
  return createStore<CoreState>()(
    subscribeWithSelector(
      persist<CoreState, [['zustand/subscribeWithSelector', never]], [], PersistedCoreState>(() => initial, {
        name: storageKey,
        version,
        storage: createJSONStorage(() => storage),
        skipHydration: ssr,
        partialize: (state) => ({ chainId: state.chain.id }),
        migrate: () => ({ chainId: chain.id }),
        merge: (stored, current) => {
          const known = connections.get(Number((stored as Partial<PersistedCoreState> | undefined)?.chainId))
          if (!known || known.chain.id === current.chain.id) return current
          return { ...current, ...onChain(connections, known.chain) }
        },
      }),
    ),
  )
}

/** The part of the state that follows the chain. */
export function onChain(
  connections: ReadonlyMap<number, ChainConnection>,
  chain: Chain,
): Pick<CoreState, 'chain' | 'bundlerClient'> {
  return { chain, bundlerClient: createLazyBundlerClient({ chain, connection: connections.get(chain.id) }) }
}

/** The active chain must be one of the connections. */
export function chainNotFound(chain: Chain): BaseError {
  return new BaseError('Chain not found in connections', {
    code: 'CHAIN_NOT_FOUND',
    metaMessages: [`Chain: ${chain.name} (${chain.id})`, 'Add it to `connections` of `createConfig`.'],
    name: 'ChainNotFoundError',
  })
}
