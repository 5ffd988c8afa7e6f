import type { Db } from '../../platform/database/openStore.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { claimResends, releaseResends } from '../../store/operations.ts'
import type { Chain } from '../chains/createChain.ts'

/** Operations that one run sends again. */
const maxAtOnce = 20

export declare namespace resendLost {
  type Parameters = { db: Db; chain: Chain; logger: Logger }
}

/**
 * Sends operations again that a bundler took and that are not on the chain yet: the same bytes, after 3 seconds, then
 * after pauses that double. A bundler that still holds one refuses it as known, and one that was included meanwhile is
 * refused for its nonce; so nothing happens twice, and one that a restarted bundler lost is there again. While no bundler
 * can be reached, nothing counts as sent, and the pauses stay as they are.
 *
 * @throws What the upstream throws when no bundler can be reached.
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
