import { type Address, type Chain, createClient } from 'viem'
import { lightAccountActions } from '../../accounts/lightAccount/lightAccountActions.ts'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { type Chunk, createChunk } from '../../core/createChunk.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { indexedDbOutbox } from '../../web/indexedDbOutbox.ts'
import type { MiddlewareConfig } from '../middleware/types.ts'
import { leaveAccount } from '../outbox/leaveAccount.ts'
import { outboxChunk } from '../outbox/outboxChunk.ts'
import { isEnded, readRecords, toOwner } from '../outbox/records.ts'
import type { OutboxOptions } from '../outbox/types.ts'
import { withConfig, withState } from '../store/clientState.ts'
import type { AccountConfig, AccountOf, AccountType, ChainConnection, LatchkeyConfig } from '../store/types.ts'
import type { AccountKind, ClientOf } from './AccountKind.ts'
import type { ActionContext } from './actions/context.ts'
import { createOperationContext } from './createOperationContext.ts'
import { createSmartAccountClient } from './createSmartAccountClient.ts'
import { rpcTransport } from './rpcTransport.ts'
import type {
  ClientOptions,
  SendUserOperationParameters,
  SendUserOperationResult,
  SmartAccountClient,
} from './types.ts'

type Network = { chain: Chain; connection: ChainConnection | undefined; outbox: Partial<OutboxOptions> | false }

/** Loaded with the account code, because most users have a LightAccount. Other types are loaded on first use. */
const lightKind: AccountKind<'LightAccount'> = {
  make: toLightAccount,
  extend: (client) => client.extend(lightAccountActions),
}
const kinds: { readonly [type in AccountType]: Chunk<{ kind: AccountKind<type> }> } = {
  LightAccount: createChunk({ name: 'account', import: async () => ({ kind: lightKind }) }),
  MultiOwnerModularAccount: createChunk({ name: 'account', import: () => import('./modularKind.ts') }),
  MultiOwnerLightAccount: createChunk({ name: 'account', import: () => import('./multiOwnerLightKind.ts') }),
  ModularAccountV2: createChunk({ name: 'account', import: () => import('./modularV2Kind.ts') }),
}

/** Creates an account owned by the signed-in user, and resumes its pending operations. */
export async function makeAccount<type extends AccountType>(
  type: type,
  { signer, params, chain, connection, outbox }: Network & { signer: Signer; params: AccountConfig },
): Promise<AccountOf<type>> {
  if (!Object.hasOwn(kinds, type)) throw unsupported()
  const { kind } = await kinds[type].load()
  const parameters = { ...connection, signerType: signer.signerType }
  const transport = rpcTransport(parameters)
  // Without retries, because the call that reads an account's address always reverts.
  const client = createClient({ chain, transport: rpcTransport({ ...parameters, retryCount: 0 }) })
  const account = await kind.make({ ...params, client, owner: signer.toViemAccount() })
  const context = createOperationContext({ account, transport, outbox: withStore(outbox) })
  // Errors are ignored here, because the first send reports an unavailable store.
  if (outbox) resume(context).catch(() => {})
  return account
}

export declare namespace settleAccount {
  type Parameters<type extends AccountType> = {
    chainId: number
    type: type
    account: AccountOf<type>
    params: AccountConfig
    /** Returns false once another account was requested or the user has signed out. */
    isInUse: () => boolean
  }
}

/** Writes a created account to the state, with the parameters that restore it at the next visit. */
export async function settleAccount<type extends AccountType>(
  config: LatchkeyConfig,
  { chainId, type, account, params, isInUse }: settleAccount.Parameters<type>,
): Promise<void> {
  const initCode = account.delegation ? undefined : await account.getFactoryInitCode()
  if (!isInUse()) return
  const version = account.source === 'MultiOwnerModularAccount' ? {} : { version: account.version }
  const known: AccountConfig = { ...params, ...version, initCode, accountAddress: account.address }
  config.clientStore.setState((state) => ({
    accounts: state.accounts && withState(state.accounts, chainId, type, { status: 'READY', account }),
    accountConfigs: withConfig(state.accountConfigs, chainId, type, known),
  }))
}

/** Resumes pending operations. Loads the required chunk only if there are any, which is rare. */
async function resume(context: Omit<ActionContext, 'stack'>): Promise<void> {
  const store = context.outbox?.store
  await store?.open()
  if (!store || (await readRecords(store, context)).every(isEnded)) return
  const { resumeOperations } = await outboxChunk.load()
  await resumeOperations(context)
}

/** Removes accounts' records after a sign-out, except signed operations whose outcome is unknown. */
export async function leaveAccounts(
  outbox: Partial<OutboxOptions> | false,
  accounts: readonly { chainId: string; address: Address }[],
): Promise<void> {
  const store = withStore(outbox)?.store
  if (!store) return
  for (const { chainId, address } of accounts) await leaveAccount(store, toOwner(chainId, address))
}

let browserStore: OutboxOptions['store'] | undefined

/** Returns the config's outbox with the page's store. All callers share this store, so each is notified of changes. */
export function withStore(outbox: Partial<OutboxOptions> | false): OutboxOptions | undefined {
  if (!outbox) return undefined
  browserStore ??= indexedDbOutbox()
  return { store: browserStore, ...outbox }
}

function unsupported(): BaseError {
  return new BaseError('Unsupported account type', {
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    metaMessages: [`Supported: ${Object.keys(kinds).join(', ')}`],
  })
}

type ClientParameters<type extends AccountType> = MiddlewareConfig & { type: type; opts?: ClientOptions | undefined }
type Entry<type extends AccountType> = {
  parameters: ClientParameters<type>
  connections: unknown
  result: { client: ClientOf<type>; address: Address; isLoadingClient: false }
}

/** Cache limit per account. Parameters with inline functions differ on every call and would fill the cache. */
const maxEntries = 8
const clients: { readonly [type in AccountType]: WeakMap<AccountOf<type>, Entry<type>[]> } = {
  LightAccount: new WeakMap(),
  MultiOwnerModularAccount: new WeakMap(),
  MultiOwnerLightAccount: new WeakMap(),
  ModularAccountV2: new WeakMap(),
}

/** Returns the client of a ready account. Returns the same object for equal parameters. */
export function readyClient<type extends AccountType>(
  account: AccountOf<type>,
  parameters: ClientParameters<type>,
  config: LatchkeyConfig,
): Entry<type>['result'] {
  const { type } = parameters
  const entries = clients[type].get(account) ?? []
  clients[type].set(account, entries)
  const { chain, connections } = config.coreStore.getState()
  const known = entries.find((entry) => entry.connections === connections && isSameValue(entry.parameters, parameters))
  if (known) return known.result
  const client = makeClient(account, {
    ...parameters,
    chain,
    connection: connections.get(chain.id),
    outbox: config._internal.outbox,
  })
  const result = { client, address: account.address, isLoadingClient: false as const }
  entries.push({ parameters, connections, result })
  if (entries.length > maxEntries) entries.shift()
  return result
}

function makeClient<type extends AccountType>(
  account: AccountOf<type>,
  parameters: Network & ClientParameters<type>,
): ClientOf<type> {
  const loaded = kinds[parameters.type].loaded()
  if (!loaded) throw unsupported()
  const outbox = withStore(parameters.outbox)
  return loaded.kind.extend(createSmartAccountClient({ ...parameters, account, outbox }))
}

/** Compares two parameter values: plain objects and arrays by content, other values by identity. */
function isSameValue(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (!isPlain(left) || !isPlain(right)) return false
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every((name) => isSameValue(left[name], right[name]))
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

/** Sends an operation and waits until it is in a block. The result's `hash` is then the transaction hash. */
export async function sendAndWait(
  client: SmartAccountClient,
  parameters: SendUserOperationParameters,
): Promise<SendUserOperationResult> {
  const { hash, request, timings } = await client.sendUserOperation(parameters)
  return { request, timings, hash: await client.waitForUserOperationTransaction({ hash, request }) }
}
