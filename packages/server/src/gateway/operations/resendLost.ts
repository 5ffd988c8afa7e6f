import type { Db } from '../../platform/database/openStore.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { claimResends, releaseResends } from '../../store/operations.ts'
import type { Chain } from '../chains/createChain.ts'

/** Maximum operations that one run resends. */
const maxAtOnce = 20

export declare namespace resendLost {
  type Parameters = { db: Db; chain: Chain; logger: Logger }
}

/**
 * Resends the same bytes of operations that a bundler accepted and that are not on the chain yet, first after 3
 * seconds, then with exponential backoff. Idempotent: a bundler refuses an operation that it still has or that is
 * included, and accepts one that it lost in a restart. If no bundler can be reached, the attempt does not count.
 *
 * @throws the upstream's error if no bundler can be reached.
 */
export async function resendLost({ db, chain, logger }: resendLost.Parameters): Promise<void> {
  const due = await claimResends(db, { chainId: chain.chainId, limit: maxAtOnce })
  for (const [index, { user_op_hash: userOpHash, request, resends }] of due.entries()) {
    const outcome = await chain.bundler
      .send('eth_sendUserOperation', JSON.parse(request))
      .catch(async (error: unknown) => {
        const untried = due.slice(index + 1).map(({ user_op_hash }) => user_op_hash)
        await releaseResends(db, { failed: userOpHash, untried })
        throw error
      })
    if ('result' in outcome)
      logger.warn(
        { userOpHash, chainId: chain.chainId, resends },
        'The bundler had lost an operation; it was sent again',
      )
  }
}
