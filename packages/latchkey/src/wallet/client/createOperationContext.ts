import { type Chain, createClient, type Transport } from 'viem'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { createStack } from '../middleware/stack.ts'
import type { MiddlewareConfig } from '../middleware/types.ts'
import type { OutboxOptions } from '../outbox/types.ts'
import type { ActionContext } from './actions/context.ts'
import { pickConnection } from './pickConnection.ts'
import { noChain, rpcTransport } from './rpcTransport.ts'
import type { ClientAccount, ClientOptions, Connection } from './types.ts'

export declare namespace createOperationContext {
  type Parameters<account extends LatchkeyAccount = LatchkeyAccount, chain extends Chain = Chain> = MiddlewareConfig &
    Connection & {
      account: account
      /** @default the account's chain */
      chain?: chain | undefined
      /** Connection to the service. Its members may also be passed next to `account`. */
      connection?: Connection | undefined
      /** Transport that replaces a connection. Requests have none of Latchkey's headers. */
      transport?: Transport | undefined
      opts?: ClientOptions | undefined
      /** Stores operations before they are sent, so that closing the page loses none. */
      outbox?: OutboxOptions | undefined
    }
  type ReturnType = ActionContext
}

/**
 * Creates the context for a smart account's actions when an app imports them individually. The page then loads only the
 * actions it uses. The client of `createSmartAccountClient` has all actions as members.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_NOT_FOUND`, `CHAIN_MISMATCH`, `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { createOperationContext, sendUserOperation } from 'latchkey'
 * import { account } from './config.ts'
 *
 * const context = createOperationContext({ account, apiKey: 'latchkey-dev' })
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const { hash } = await sendUserOperation(context, { uo })
 * console.log(hash)
 * ```
 */
export function createOperationContext(
  parameters: createOperationContext.Parameters,
): createOperationContext.ReturnType {
  const { account, connection = pickConnection(parameters), opts = {} } = parameters
  if (!account) throw noAccount()
  const chain = parameters.chain ?? account.client.chain
  if (!chain) throw noChain()
  if (chain.id !== account.client.chain?.id) throw otherChain(chain, account)
  const { signerType } = account.getSigner()
  const transport = parameters.transport ?? rpcTransport({ ...connection, signerType })
  const clientAccount: ClientAccount = account
  const client = createClient({
    account: clientAccount,
    chain,
    transport,
    name: 'Latchkey smart account client',
    type: 'smartAccountClient',
  })
  return { account, client, stack: createStack(parameters), options: opts, outbox: parameters.outbox }
}

function noAccount(): BaseError {
  return new BaseError('Could not find an Account to execute with this Action.', {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: ['Pass `account` to `createSmartAccountClient`.'],
    name: 'AccountNotFoundError',
  })
}

/**
 * Creates the error for an account of another chain: the nonce would be read on one chain, and the signature would be
 * valid on the other.
 */
function otherChain(chain: Chain, account: LatchkeyAccount): BaseError {
  return new BaseError(`The account is on chain ${account.client.chain?.id}, not on ${chain.id}.`, {
    code: 'CHAIN_MISMATCH',
    metaMessages: ['Omit `chain`, or create the account with a client of this chain.'],
  })
}
