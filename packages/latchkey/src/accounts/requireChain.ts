import type { Chain } from 'viem'
import { BaseError } from '../core/errors/BaseError.ts'

/** The chain of a client. Throws 'No chain supplied to the client' (`CHAIN_NOT_FOUND`). */
export function requireChain(client: { chain?: Chain | undefined } | undefined): Chain {
  if (client?.chain) return client.chain
  throw new BaseError('No chain supplied to the client', {
    code: 'CHAIN_NOT_FOUND',
    metaMessages: ['Pass `client`: a viem client made with a `chain`.'],
    name: 'ChainNotFoundError',
  })
}
