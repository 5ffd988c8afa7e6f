import { type Chain, createClient, type Transport } from 'viem'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { createStack } from '../middleware/stack.ts'
import type { MiddlewareConfig } from '../middleware/types.ts'
import { bundlerActions } from './actions/bundlerActions.ts'
import { readActions } from './actions/readActions.ts'
import { smartAccountActions } from './actions/smartAccountActions.ts'
import { noChain, rpcTransport } from './rpcTransport.ts'
import type { ClientAccount, ClientOptions, Connection, SmartAccountClient } from './types.ts'

export declare namespace createSmartAccountClient {
  type Parameters<account extends LatchkeyAccount = LatchkeyAccount> = MiddlewareConfig & {
    account: account
    /** @default the chain of the account */
    chain?: Chain | undefined
    /** One of the two. With a connection the provider's headers are sent. */
    connection?: Connection | undefined
    transport?: Transport | undefined
    opts?: ClientOptions | undefined
  }
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
  const { account, connection = {}, opts = {} } = parameters
  if (!account) throw noAccount()
  const chain = parameters.chain ?? account.client.chain
  if (!chain) throw noChain()
  if (chain.id !== account.client.chain?.id) throw otherChain(chain, account)
  const { signerType } = account.getSigner()
  const transport = parameters.transport ?? rpcTransport({ ...connection, signerType })
  const stack = createStack(parameters)
  const clientAccount: ClientAccount = account
  return createClient({
    account: clientAccount,
    chain,
    transport,
    name: 'Latchkey smart account client',
    type: 'smartAccountClient',
  })
    .extend(readActions)
    .extend(bundlerActions)
    .extend((client) => ({
      ...smartAccountActions({ account, client, stack, options: opts }),
      smartAccount: account,
    }))
}

function noAccount(): BaseError {
  return new BaseError('Could not find an Account to execute with this Action.', {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: ['Pass `account` to `createSmartAccountClient`.'],
    name: 'AccountNotFoundError',
  })
}

/** The nonce would come from one chain and the signature be good for the other. */
function otherChain(chain: Chain, account: LatchkeyAccount): BaseError {
  return new BaseError(`The account is on chain ${account.client.chain?.id}, not on ${chain.id}.`, {
    code: 'CHAIN_MISMATCH',
    metaMessages: ['Leave `chain` out, or make the account with a client of this chain.'],
  })
}
