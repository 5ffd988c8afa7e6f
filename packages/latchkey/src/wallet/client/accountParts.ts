import { type Address, type Chain, createClient } from 'viem'
import { unknownVersionError } from '../../accounts/contract.ts'
import { type LightAccountActions, lightAccountActions } from '../../accounts/lightAccount/lightAccountActions.ts'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import {
  type ModularAccountActions,
  modularAccountActions,
} from '../../accounts/modularAccount/modularAccountActions.ts'
import { toModularAccount } from '../../accounts/modularAccount/toModularAccount.ts'
import {
  type MultiOwnerLightAccountActions,
  multiOwnerLightAccountActions,
} from '../../accounts/multiOwnerLightAccount/multiOwnerLightAccountActions.ts'
import { toMultiOwnerLightAccount } from '../../accounts/multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { indexedDbOutbox } from '../../web/indexedDbOutbox.ts'
import { toWaitError } from '../errors/WaitForUserOperationError.ts'
import type { MiddlewareConfig } from '../middleware/types.ts'
import { leaveAccount } from '../outbox/leaveAccount.ts'
import { toOwner } from '../outbox/records.ts'
import { resumeOperations } from '../outbox/resumeOperations.ts'
import type { OutboxOptions } from '../outbox/types.ts'
import type { AccountConfig, AccountOf, AccountType, ChainConnection } from '../store/types.ts'
import { createOperationContext } from './createOperationContext.ts'
import { createSmartAccountClient } from './createSmartAccountClient.ts'
import { rpcTransport } from './rpcTransport.ts'
import type {
  ClientOptions,
  SendUserOperationParameters,
  SendUserOperationResult,
  SmartAccountClient,
} from './types.ts'

/** What the client of each type does beyond sending. */
type Actions = {
  LightAccount: LightAccountActions
  MultiOwnerModularAccount: ModularAccountActions
  MultiOwnerLightAccount: MultiOwnerLightAccountActions
}

/** The client of each account type. */
export type ClientOf<type extends AccountType = AccountType> = {
  [each in AccountType]: SmartAccountClient<AccountOf<each>, Actions[each]>
}[type]

type Network = { chain: Chain; connection: ChainConnection | undefined; outbox: Partial<OutboxOptions> | false }
type MakerParameters = AccountConfig & Pick<toLightAccount.Parameters, 'client' | 'owner'>
type Makers = { readonly [type in AccountType]: (parameters: MakerParameters) => Promise<AccountOf<type>> }
type Extend = {
  readonly [type in AccountType]: (client: SmartAccountClient<AccountOf<type>>) => ClientOf<type>
}

const makers: Makers = {
  LightAccount: toLightAccount,
  MultiOwnerModularAccount: toModularAccount,
  MultiOwnerLightAccount: async ({ version, ...rest }) => {
    // There is one version: a LightAccount's name would otherwise be taken for it.
    if (version !== undefined && version !== 'v2.0.0')
      throw unknownVersionError('MultiOwnerLightAccount', version, ['v2.0.0'])
    return toMultiOwnerLightAccount({ ...rest, version })
  },
}

const extend: Extend = {
  LightAccount: (client) => client.extend(lightAccountActions),
  MultiOwnerModularAccount: (client) => client.extend(modularAccountActions),
  MultiOwnerLightAccount: (client) => client.extend(multiOwnerLightAccountActions),
}

/** The account of a type whose owner is the person signed in. What is under way of its operations is taken up. */
export async function makeAccount<type extends AccountType>(
  type: type,
  { signer, params, chain, connection, outbox }: Network & { signer: Signer; params: AccountConfig },
): Promise<AccountOf<type>> {
  if (!Object.hasOwn(makers, type)) throw unsupported()
  const transport = rpcTransport({ ...connection, signerType: signer.signerType })
  const client = createClient({ chain, transport })
  const account = await makers[type]({ ...params, client, owner: signer.toViemAccount() })
  const context = createOperationContext({ account, transport, outbox: withStore(outbox) })
  // A browser without a store says so with the first send.
  if (outbox) resumeOperations(context).catch(() => {})
  return account
}

/** After the person has signed out: nothing of the accounts stays but what is signed and has no end yet. */
export async function leaveAccounts(
  outbox: Partial<OutboxOptions> | false,
  accounts: readonly { chainId: string; address: Address }[],
): Promise<void> {
  const store = withStore(outbox)?.store
  if (!store) return
  for (const { chainId, address } of accounts) await leaveAccount(store, toOwner(chainId, address))
}

let browserStore: OutboxOptions['store'] | undefined

/** One store a page: who shares it hears of each other's changes. */
function withStore(outbox: Partial<OutboxOptions> | false): OutboxOptions | undefined {
  if (!outbox) return undefined
  browserStore ??= indexedDbOutbox()
  return { store: browserStore, ...outbox }
}

function unsupported(): BaseError {
  return new BaseError('Unsupported account type', {
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    metaMessages: [`Supported: ${Object.keys(makers).join(', ')}`],
  })
}

/** The client of an account, with the actions of its type. */
export function makeClient<type extends AccountType>(
  account: AccountOf<type>,
  parameters: Network & MiddlewareConfig & { type: type; opts?: ClientOptions | undefined },
): ClientOf<type> {
  const outbox = withStore(parameters.outbox)
  return extend[parameters.type](createSmartAccountClient({ ...parameters, account, outbox }))
}

/** Sends and waits for the block: the result's hash is then the transaction's. */
export async function sendAndWait(
  client: SmartAccountClient,
  parameters: SendUserOperationParameters,
): Promise<SendUserOperationResult> {
  const result = await client.sendUserOperation(parameters)
  try {
    return { ...result, hash: await client.waitForUserOperationTransaction({ hash: result.hash }) }
  } catch (cause) {
    throw toWaitError(cause, result.request)
  }
}
