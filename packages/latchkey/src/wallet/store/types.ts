import type { Address, Chain, Hex } from 'viem'
import type { StoreApi } from 'zustand/vanilla'
import type { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import type { toModularAccount } from '../../accounts/modularAccount/toModularAccount.ts'
import type { toModularAccountV2 } from '../../accounts/modularAccountV2/toModularAccountV2.ts'
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

type Accounts = {
  LightAccount: toLightAccount.ReturnType
  MultiOwnerModularAccount: toModularAccount.ReturnType
  MultiOwnerLightAccount: toMultiOwnerLightAccount.ReturnType
  ModularAccountV2: toModularAccountV2.ReturnType
}

export type AccountType = keyof Accounts
export type AccountOf<type extends AccountType = AccountType> = Accounts[type]

/** Parameters of an account, which are also stored between visits. Contains no keys. */
export type AccountConfig = {
  /** Version of a LightAccount. A MultiOwnerLightAccount supports only `v2.0.0`. */
  version?: LightAccountVersion | undefined
  /**
   * Form of a ModularAccountV2: a separate contract, or the owner's own address (EIP-7702).
   * @default 'default'
   */
  mode?: 'default' | '7702' | undefined
  salt?: bigint | undefined
  /** Additional owners of a multi-owner account, besides the signed-in user. */
  owners?: readonly Address[] | undefined
  accountAddress?: Address | undefined
  /** Factory address followed by the factory call. */
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

/** Account configs by chain id and account type. */
export type AccountConfigs = { readonly [chainId: number]: { readonly [type in AccountType]?: AccountConfig } }
export type AccountStates = { readonly [chainId: number]: { readonly [type in AccountType]?: AccountState<type> } }

/** Pending account, and the parameters with which it was requested. */
export type PendingAccount<type extends AccountType = AccountType> = {
  account: Promise<AccountOf<type>>
  params: AccountConfig
}

/** Pending accounts by chain and type, shared by all callers. */
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
  /** Whether a sign-in is in progress, including the wait for an e-mail link. */
  isAuthenticating: boolean
  isConnected: boolean
  isDisconnected: boolean
  /**
   * Error of loading the signer's code. While it is set, `isInitializing` is false, although `status` is
   * `INITIALIZING`. Link and session remain stored, and `reconnect` retries.
   */
  error?: BaseError | undefined
}

/** Parameters of the signer. Stored in memory only. */
export type ClientConfig = {
  /** Connection to the signer service. */
  connection: SignerConnection
  /**
   * Endpoints of the server that signs users in: `latchkeyEndpoints` with the URL of your server.
   * @default `alchemyEndpoints`
   * @example
   * ```ts
   * import { createConfig, latchkeyEndpoints } from 'latchkey'
   * import { latchkeyDev } from 'latchkey/chains'
   *
   * const endpoints = latchkeyEndpoints('http://localhost:4101')
   * const config = createConfig({ chain: latchkeyDev, apiKey: 'latchkey-dev', endpoints })
   * ```
   */
  endpoints?: Endpoints | undefined
  /** Ids of the auth frame, which stores the session key, and of its container. */
  iframeConfig?: IframeConfig | undefined
  /**
   * Parent organization of the users.
   * @default that of `endpoints`
   */
  rootOrgId?: string | undefined
  /**
   * Relying party ID for passkeys: the page's domain or a parent domain (WebAuthn § 5.1.2).
   * @default the page's host name
   * @example
   * ```ts
   * import { createConfig, latchkeyEndpoints } from 'latchkey'
   * import { latchkeyDev } from 'latchkey/chains'
   *
   * const endpoints = latchkeyEndpoints('https://signer.example.com')
   * // Passkeys work on app.example.com and on shop.example.com.
   * const config = createConfig({ chain: latchkeyDev, apiKey: 'latchkey-dev', endpoints, rpId: 'example.com' })
   * ```
   */
  rpId?: string | undefined
  /**
   * Lifetime, storage and kind of the sessions.
   * @default 15 minutes, in the page's local storage
   * @example
   * ```ts
   * import { createConfig, latchkeyEndpoints } from 'latchkey'
   * import { latchkeyDev } from 'latchkey/chains'
   *
   * const endpoints = latchkeyEndpoints('http://localhost:4101')
   * const sessionConfig = { expirationTimeMs: 3_600_000, sessionKind: 'device' } as const
   * const config = createConfig({ chain: latchkeyDev, apiKey: 'latchkey-dev', endpoints, sessionConfig })
   * ```
   */
  sessionConfig?: SessionConfig | undefined
  /**
   * Storage, frames and passkeys of an environment other than a web page.
   * @default the page
   */
  platform?: Platform | undefined
}

export type ClientState = {
  config: ClientConfig
  /** Undefined on the server and until the page is mounted. */
  signer?: Signer | undefined
  signerStatus: SignerStatusObject
  user?: User | undefined
  /** Undefined on the server. */
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
/** State for the first render, before the browser's stored state is read, for example from a cookie. */
export type InitialState = PersistedClientState & { chainId?: number | undefined }

/** Zustand store with selectors and persistence. */
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
    /** Reads the stored state. */
    rehydrate(): Promise<void> | void
    hasHydrated(): boolean
  }
}

export type ClientStore = Store<ClientState>
export type CoreStore = Store<CoreState>

/** Creates the storage of the state. `sessionLength` in milliseconds. */
export type CreateStorage = (config?: { sessionLength: number }) => StoragePort

/** Lets code outside of the page's components, such as a connector, open the sign-in dialog. */
export type DialogPort = {
  /** Opens the dialog. Calls `onClosed` when the dialog is closed. Undefined while the page has no dialog. */
  open?: ((onClosed: () => void) => void) | undefined
}

export type LatchkeyConfig = {
  clientStore: ClientStore
  coreStore: CoreStore
  dialog: DialogPort
  _internal: {
    ssr: boolean
    storageKey: string
    /** Session lifetime in milliseconds. */
    sessionLength: number
    pendingAccounts: PendingAccounts
    /** Number of providers that use this config. */
    mounts: number
    /** Absent on the server. */
    page?: Page | undefined
    /** Options of the outbox. Uses the browser's store by default; false disables it. */
    outbox: Partial<OutboxOptions> | false
    /**
     * Completes an e-mail link or restores the session. A call after a failure retries. Undefined until the page is
     * mounted.
     */
    starter?: Pick<openSigner.ReturnType, 'start'> | undefined
  }
}
