import type { Chain } from 'viem'
import { getRpcUrl } from '../core/chains/getRpcUrl.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import { fallbackStorage } from '../core/storage/fallbackStorage.ts'
import { memoryStorage } from '../core/storage/memoryStorage.ts'
import type { IframeConfig, SessionConfig, SignerConnection } from '../signer/types.ts'
import { webPage } from '../web/webPage.ts'
import { pickConnection } from './client/pickConnection.ts'
import type { Connection } from './client/types.ts'
import type { OutboxOptions } from './outbox/types.ts'
import { createClientStore } from './store/createClientStore.ts'
import { chainNotFound, createCoreStore } from './store/createCoreStore.ts'
import type { ChainConnection, ClientConfig, CreateStorage, DialogPort, LatchkeyConfig } from './store/types.ts'

export declare namespace createConfig {
  type Common = Omit<ClientConfig, 'connection'> & {
    /** Initially active chain. */
    chain: Chain
    /**
     * Whether a server renders the page first. If so, `hydrate` reads the storage after mounting.
     * @default false
     */
    ssr?: boolean | undefined
    /**
     * Storage of the state.
     * @default the page's local storage; without a page, memory
     */
    storage?: CreateStorage | undefined
    /**
     * Stores operations before they are sent, so that closing the page loses none. `false` sends operations without
     * records.
     * @default the page's IndexedDB; without a page, false
     */
    outbox?: Partial<OutboxOptions> | false | undefined
    /**
     * Opens the sign-in dialog for a connector.
     * @default dialog of `LatchkeyProvider`
     */
    dialog?: DialogPort | undefined
  }
  type InlineConnection = Common &
    WrongPlaces &
    Connection & { connections?: undefined; signerConnection?: SignerConnection | undefined }
  /** Several connections, one for each chain. Requires `signerConnection`. */
  type ConnectionPerChain = Common &
    WrongPlaces &
    Misplaced<keyof Connection, 'belongs in an entry of connections, or in signerConnection'> & {
      /**
       * Connection of each chain, instead of `rpcUrl`, `apiKey`, `jwt`, `bundlerUrl` and `gateway`.
       * @example
       * ```ts
       * import { createConfig, latchkeyEndpoints } from 'latchkey'
       * import { latchkeyDev } from 'latchkey/chains'
       * import { sepolia } from 'viem/chains'
       *
       * const config = createConfig({
       *   chain: latchkeyDev,
       *   connections: [
       *     { chain: latchkeyDev, apiKey: 'latchkey-dev' },
       *     { chain: sepolia, rpcUrl: 'https://rpc.example.com' },
       *   ],
       *   signerConnection: { apiKey: 'latchkey-dev' },
       *   endpoints: latchkeyEndpoints('http://localhost:4101'),
       * })
       * ```
       */
      connections: readonly ConnectionEntry[]
      /**
       * Connection to the signer service. Required with `connections`.
       * @default the inline connection, if there are no `connections`
       */
      signerConnection: SignerConnection
    }
  /** Connection of one chain. */
  type ConnectionEntry = ChainConnection &
    WrongPlaces &
    Misplaced<Exclude<keyof Common, 'chain'> | 'signerConnection', 'belongs next to connections, not in an entry'>
  type Parameters = InlineConnection | ConnectionPerChain
  type ReturnType = LatchkeyConfig
  type ErrorType = BaseError
}

/** Declares a misplaced option with a message type, so that the compiler error states where the option belongs. */
type Misplaced<keys extends PropertyKey, place extends string> = {
  [key in keys & string]?: `${key} ${place}` | undefined
}

type WrongPlaces = Misplaced<
  'policyId',
  'belongs in gasManagerConfig of useSmartAccountClient or getSmartAccountClient'
> &
  Misplaced<'gasManagerConfig' | 'accountParams', 'is an option of useSmartAccountClient and getSmartAccountClient'> &
  Misplaced<Exclude<keyof SessionConfig, 'storage'>, 'belongs in sessionConfig'> &
  Misplaced<keyof IframeConfig, 'belongs in iframeConfig'> &
  Misplaced<'auth', 'belongs in uiConfig of LatchkeyProvider'> &
  Misplaced<'transport' | 'connection', 'is not an option: use rpcUrl, apiKey or jwt instead'>

const storageKey = 'alchemy-account-state'
const defaultSessionMs = 900_000

/**
 * Creates the config that an app needs to sign users in and send their operations. Create it once.
 *
 * @throws `CHAIN_NOT_FOUND`, `RPC_URL_INVALID`, `CONFIG_INVALID`.
 *
 * @example
 * ```ts
 * import { createConfig, latchkeyEndpoints } from 'latchkey'
 * import { latchkeyDev } from 'latchkey/chains'
 *
 * const endpoints = latchkeyEndpoints('http://localhost:4101')
 * const config = createConfig({ chain: latchkeyDev, apiKey: 'latchkey-dev', endpoints })
 * ```
 */
export function createConfig(parameters: createConfig.Parameters): createConfig.ReturnType {
  const { chain, ssr = false, storage, sessionConfig, platform } = parameters
  const page = platform ?? webPage() ?? undefined
  const connections = readConnections(parameters)
  const active = connections.get(chain.id)
  if (!active) throw chainNotFound(chain)
  const sessionLength = sessionConfig?.expirationTimeMs ?? defaultSessionMs
  const ownLength = sessionConfig?.expirationTimeMs === undefined ? undefined : { sessionLength }
  const { endpoints, iframeConfig, rootOrgId, rpId } = parameters
  const config: ClientConfig = {
    connection: signerConnection(parameters),
    endpoints,
    iframeConfig,
    rootOrgId,
    rpId,
    sessionConfig,
    platform,
  }
  const open = (given?: { sessionLength: number }) =>
    storage ? fallbackStorage(storage(given)) : (page?.storage('localStorage') ?? memoryStorage())
  return {
    clientStore: createClientStore({
      config,
      isBrowser: page !== undefined,
      key: storageKey,
      storage: open(ownLength),
      ssr,
    }),
    coreStore: createCoreStore({
      chain: active.chain,
      connections,
      key: `${storageKey}:core`,
      storage: open(),
      ssr,
    }),
    dialog: parameters.dialog ?? {},
    _internal: {
      ssr,
      storageKey,
      sessionLength,
      pendingAccounts: new Map(),
      mounts: 0,
      page,
      outbox: parameters.outbox ?? (page ? {} : false),
    },
  }
}

function readConnections(parameters: createConfig.Parameters): ReadonlyMap<number, ChainConnection> {
  const { chain } = parameters
  const list: readonly ChainConnection[] = parameters.connections ?? [{ chain, ...pickConnection(parameters) }]
  for (const connection of list) {
    if (!connection.apiKey && !connection.jwt && !connection.rpcUrl) {
      throw new BaseError('A connection needs an apiKey, a jwt or an rpcUrl.', {
        code: 'CONFIG_INVALID',
        metaMessages: [`Chain: ${connection.chain.name} (${connection.chain.id})`],
      })
    }
    getRpcUrl(connection)
  }
  return new Map(list.map((connection) => [connection.chain.id, connection]))
}

/**
 * Returns the signer's connection. `rpcUrl` of the chain is also the signer service's URL, unless `endpoints` are
 * given.
 */
function signerConnection(parameters: createConfig.Parameters): SignerConnection {
  if (parameters.signerConnection) return parameters.signerConnection
  if (parameters.connections) {
    throw new BaseError('signerConnection is required when connections are given.', { code: 'CONFIG_INVALID' })
  }
  const { rpcUrl, apiKey, jwt } = pickConnection(parameters)
  return { apiKey, jwt, ...(!parameters.endpoints && { rpcUrl }) }
}
