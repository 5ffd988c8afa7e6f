import type { Address, Chain, Hex } from 'viem'
import type { StoreApi } from 'zustand/vanilla'
import type { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import type { toModularAccount } from '../../accounts/modularAccount/toModularAccount.ts'
import type { toMultiOwnerLightAccount } from '../../accounts/multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { EntryPointVersion } from '../../core/chains/entryPoints.ts'
import type { LightAccountVersion } from '../../core/chains/types.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import type { openSigner } from '../../signer/openSigner.ts'
import type {
  Endpoints,
  IframeConfig,
  SessionConfig,
  Signer,
  SignerConnection,
  SignerStatus,
  User,
} from '../../signer/types.ts'
import type { Page, Platform } from '../../web/platform.ts'
import type { BundlerClient, Connection } from '../client/types.ts'
import type { OutboxOptions } from '../outbox/types.ts'

/** The account each type gives. */
type Accounts = {
  LightAccount: toLightAccount.ReturnType
  MultiOwnerModularAccount: toModularAccount.ReturnType
  MultiOwnerLightAccount: toMultiOwnerLightAccount.ReturnType
}

export type AccountType = keyof Accounts
export type AccountOf<type extends AccountType = AccountType> = Accounts[type]

/** What an account is made from; also what is kept of it between visits. Holds no key. */
export type AccountConfig = {
  /** Of a LightAccount; a MultiOwnerLightAccount has `v2.0.0` alone. */
  version?: LightAccountVersion | undefined
  salt?: bigint | undefined
  /** Of the multi-owner types, beside the person signed in. */
  owners?: readonly Address[] | undefined
  accountAddress?: Address | undefined
  /** Factory address and factory call in one. */
  initCode?: Hex | undefined
  factoryAddress?: Address | undefined
  entryPoint?: { version?: EntryPointVersion | undefined; address?: Address | undefined } | undefined
}

export type AccountState<type extends AccountType = AccountType> =
  | { status: 'DISCONNECTED'; account?: undefined; error?: undefined }
  | { status: 'INITIALIZING'; account: Promise<AccountOf<type>>; error?: undefined }
  | { status: 'RECONNECTING'; account: { address: Address }; error?: undefined }
  | { status: 'READY'; account: AccountOf<type>; error?: undefined }
  | { status: 'ERROR'; account?: undefined; error: Error }

/** One value a chain and account type. */
export type AccountConfigs = { readonly [chainId: number]: { readonly [type in AccountType]?: AccountConfig } }
export type AccountStates = { readonly [chainId: number]: { readonly [type in AccountType]?: AccountState<type> } }

/** An account being made, and what from. */
export type PendingAccount<type extends AccountType = AccountType> = {
  account: Promise<AccountOf<type>>
  params: AccountConfig
}

/** Those being made, so that two callers share one: a map whose keys name chain and type. */
export type PendingAccounts = {
  get<type extends AccountType>(key: PendingKey<type>): PendingAccount<type> | undefined
  set<type extends AccountType>(key: PendingKey<type>, pending: PendingAccount<type>): void
  delete(key: PendingKey): void
  clear(): void
}
export type PendingKey<type extends AccountType = AccountType> = `${number}:${type}`

export type SignerStatusObject = {
  status: SignerStatus
  isInitializing: boolean
  /** Also true while a mail link is awaited. */
  isAuthenticating: boolean
  isConnected: boolean
  isDisconnected: boolean
  /**
   * Why the signer's code could not be loaded. `isInitializing` is false then, though `status` stays `INITIALIZING`: link
   * and session are kept, and `reconnect` tries again.
   */
  error?: BaseError | undefined
}

/** What the signer is made from. Kept in memory only. */
export type ClientConfig = {
  connection: SignerConnection
  endpoints?: Endpoints | undefined
  iframeConfig?: IframeConfig | undefined
  rootOrgId?: string | undefined
  rpId?: string | undefined
  sessionConfig?: SessionConfig | undefined
  /** @default the page */
  platform?: Platform | undefined
}

export type ClientState = {
  config: ClientConfig
  /** Absent on the server and until the page is mounted. */
  signer?: Signer | undefined
  signerStatus: SignerStatusObject
  user?: User | undefined
  /** Absent on the server. */
  accounts?: AccountStates | undefined
  accountConfigs: AccountConfigs
}

export type CoreState = {
  chain: Chain
  connections: ReadonlyMap<number, ChainConnection>
  bundlerClient: BundlerClient
}

export type ChainConnection = Connection & { chain: Chain }

export type PersistedClientState = Pick<ClientState, 'signerStatus' | 'user' | 'accountConfigs'>
export type PersistedCoreState = { chainId: number }
/** What a page shows before its browser's own storage is read: state of a cookie, say. */
export type InitialState = PersistedClientState & { chainId?: number | undefined }

/** A store of the kind zustand makes, with selectors and with a part that is kept. */
export type Store<state> = Omit<StoreApi<state>, 'subscribe'> & {
  subscribe: {
    (listener: (state: state, previous: state) => void): () => void
    <slice>(
      selector: (state: state) => slice,
      listener: (slice: slice, previous: slice) => void,
      options?: { equalityFn?: (left: slice, right: slice) => boolean; fireImmediately?: boolean },
    ): () => void
  }
  persist: {
    /** Reads what is stored. */
    rehydrate(): Promise<void> | void
    hasHydrated(): boolean
  }
}

export type ClientStore = Store<ClientState>
export type CoreStore = Store<CoreState>

/** Makes the storage state is kept in. `sessionLength` in milliseconds. */
export type CreateStorage = (config?: { sessionLength: number }) => StoragePort

/** How code outside of the page's components, such as a connector, shows the sign-in dialog. */
export type DialogPort = {
  /** Opens the dialog, and calls `onClosed` when it was closed. Undefined while the page has none. */
  open?: ((onClosed: () => void) => void) | undefined
}

export type LatchkeyConfig = {
  clientStore: ClientStore
  coreStore: CoreStore
  dialog: DialogPort
  _internal: {
    ssr: boolean
    storageKey: string
    /** Milliseconds. */
    sessionLength: number
    pendingAccounts: PendingAccounts
    /** Providers that show this config. */
    mounts: number
    /** Absent on the server. */
    page?: Page | undefined
    /** Without a store, the browser's; false: none. */
    outbox: Partial<OutboxOptions> | false
    /**
     * Completes a mail link or restores the session, again after a failure; and loads the page again without losing a
     * link. Absent until the page is mounted.
     */
    starter?: Pick<openSigner.ReturnType, 'start' | 'reload'> | undefined
  }
}
