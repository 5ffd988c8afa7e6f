import type { Chain } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { onChain } from '../store/createCoreStore.ts'
import type { LatchkeyConfig } from '../store/types.ts'
import { createKnownAccounts } from './createKnownAccounts.ts'

/** Makes another of the connections' chains the active one. Throws 'Chain not found in connections'. */
export async function setChain(config: LatchkeyConfig, chain: Chain): Promise<void> {
  const { connections, chain: current } = config.coreStore.getState()
  const connection = connections.get(chain.id)
  if (!connection) {
    throw new BaseError('Chain not found in connections', {
      code: 'CHAIN_NOT_FOUND',
      metaMessages: [`Chain: ${chain.name} (${chain.id})`, 'Add it to `connections` of `createConfig`.'],
      name: 'ChainNotFoundError',
    })
  }
  if (current.id === chain.id) return
  config.coreStore.setState(onChain(connections, connection.chain))
  createKnownAccounts(config)
}
