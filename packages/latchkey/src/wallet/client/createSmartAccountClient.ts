import type { LatchkeyAccount } from '../../accounts/types.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { bundlerActions } from './actions/bundlerActions.ts'
import { readActions } from './actions/readActions.ts'
import { smartAccountActions } from './actions/smartAccountActions.ts'
import { createOperationContext } from './createOperationContext.ts'
import type { SmartAccountClient } from './types.ts'

export declare namespace createSmartAccountClient {
  type Parameters<account extends LatchkeyAccount = LatchkeyAccount> = createOperationContext.Parameters<account>
  type ReturnType<account extends LatchkeyAccount = LatchkeyAccount> = SmartAccountClient<account>
  type ErrorType = BaseError
}

/**
 * A viem client that sends user operations for one account: node and bundler methods over one URL, sponsorship through
 * `gasManagerConfig`.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_NOT_FOUND`, `CHAIN_MISMATCH`, `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { createSmartAccountClient } from 'latchkey'
 * import { account } from './config.ts'
 *
 * const gasManagerConfig = { policyId: 'dev-sponsor-all' }
 * const client = createSmartAccountClient({ account, connection: { apiKey: 'latchkey-dev' }, gasManagerConfig })
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const { hash } = await client.sendUserOperation({ uo })
 * ```
 */
export function createSmartAccountClient<account extends LatchkeyAccount>(
  parameters: createSmartAccountClient.Parameters<account>,
): createSmartAccountClient.ReturnType<account> {
  const context = createOperationContext(parameters)
  return context.client
    .extend(readActions)
    .extend(bundlerActions)
    .extend(() => ({ ...smartAccountActions(context), smartAccount: parameters.account }))
}
