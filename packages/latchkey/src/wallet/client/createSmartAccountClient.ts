import type { Chain, EIP1193RequestOptions } from 'viem'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import { createChunk } from '../../core/createChunk.ts'
import { bundlerActions } from './actions/bundlerActions.ts'
import { readActions } from './actions/readActions.ts'
import { smartAccountActions } from './actions/smartAccountActions.ts'
import { createOperationContext } from './createOperationContext.ts'
import type { SmartAccountClient } from './types.ts'

export declare namespace createSmartAccountClient {
  type Parameters<
    account extends LatchkeyAccount = LatchkeyAccount,
    chain extends Chain = Chain,
  > = createOperationContext.Parameters<account, chain>
  type ReturnType<account extends LatchkeyAccount = LatchkeyAccount, chain extends Chain = Chain> = SmartAccountClient<
    account,
    unknown,
    chain
  >
}

/**
 * Creates a viem client that sends user operations for one account. The client calls node and bundler methods of one
 * URL, and gets sponsorship through `gasManagerConfig`. `request` also handles wallet methods (EIP-1193: accounts,
 * signing, `eth_sendTransaction`) with the client's account, so that viem's `custom(client)` works; `createProvider`
 * adds events and EIP-5792.
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
export function createSmartAccountClient<account extends LatchkeyAccount, chain extends Chain = Chain>(
  parameters: createSmartAccountClient.Parameters<account, chain>,
): createSmartAccountClient.ReturnType<account, chain>
export function createSmartAccountClient(
  parameters: createSmartAccountClient.Parameters,
): createSmartAccountClient.ReturnType {
  const context = createOperationContext(parameters)
  const client = context.client
    .extend(readActions)
    .extend(bundlerActions)
    .extend(() => ({ ...smartAccountActions(context), smartAccount: parameters.account }))
  return Object.assign(client, { request: walletRequests(client) })
}

/** Wallet methods, which nodes do not offer for smart accounts. */
const walletMethods = /^(eth_(accounts|chainId|requestAccounts|sendTransaction|sign|signTypedData_v4)|personal_sign)$/

/** Loaded only when a library uses the client as a wallet. */
const walletChunk = /* @__PURE__ */ createChunk({
  name: 'provider',
  import: () => import('../provider/ownMethods.ts'),
})

/** Untyped `request`, because viem's type accepts only known methods. */
type Request = (call: { method: string; params?: unknown }, options?: EIP1193RequestOptions) => Promise<unknown>

function walletRequests(client: SmartAccountClient): SmartAccountClient['request'] {
  const request = client.request as Request
  const ask: Request = async (call, options) => {
    if (!walletMethods.test(call.method)) return request(call, options)
    const { requestOfClient } = await walletChunk.load()
    return requestOfClient(client, call)
  }
  return ask as SmartAccountClient['request']
}
