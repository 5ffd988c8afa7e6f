import { type Address, type Chain, numberToHex, SwitchChainError } from 'viem'
import { createChunk } from '../core/createChunk.ts'
import { watchChain } from '../wallet/actions/chain.ts'
import { createAccount } from '../wallet/actions/createAccount.ts'
import { disconnect, hydrate } from '../wallet/actions/session.ts'
import { getSignerStatus, watchSignerStatus } from '../wallet/actions/signer.ts'
import { watchSmartAccountClient } from '../wallet/actions/smartAccountClient.ts'
import type { getProvider } from '../wallet/provider/getProvider.ts'
import { ProviderRpcError } from '../wallet/provider/ProviderRpcError.ts'
import type { WalletProvider } from '../wallet/provider/types.ts'
import type { AccountType, LatchkeyConfig } from '../wallet/store/types.ts'
import { signInByDialog } from './signInByDialog.ts'
import { toConnectError } from './toConnectError.ts'
import type { ConnectorContext, ConnectParameters, ConnectResult, LatchkeyConnector } from './types.ts'

export declare namespace latchkey {
  type Parameters = Omit<getProvider.Parameters, 'type' | 'connect'> & {
    /** Config from `createConfig` of `latchkey`. */
    config: LatchkeyConfig
    /** @default 'LightAccount' */
    type?: AccountType | undefined
    /**
     * Signs the user in. Must resolve once the user is signed in, and reject if the user cancels.
     * @default opens the dialog of the page's `LatchkeyProvider`
     */
    signIn?: (() => Promise<unknown>) | undefined
    /** @default 'Latchkey' */
    name?: string | undefined
    /** URL of an image for lists of wallets. */
    icon?: string | undefined
  }
  type ReturnType = (context: ConnectorContext) => LatchkeyConnector
  type ErrorType = ProviderRpcError
}

/** Chunk listed in `wallet/chunks.ts`. The page loads it when it connects. */
const providerChunk = /* @__PURE__ */ createChunk({
  name: 'provider',
  import: () => import('../wallet/provider/getProvider.ts'),
})

/** Longest wait for an e-mail sign-in to complete or a session to be restored. */
const sessionTimeoutMs = 30_000

/**
 * Creates a connector for wagmi. Connecting uses the current session, or opens the sign-in dialog; disconnecting signs
 * out. The connector follows sign-in, sign-out and account changes of the config, so an app can combine wagmi's hooks
 * with Latchkey's.
 *
 * @example
 * ```ts
 * import { latchkey } from 'latchkey/wagmi'
 * import { config } from './config.ts'
 *
 * const connectors = [latchkey({ config, gasManagerConfig: { policyId: 'dev-sponsor-all' } })]
 * ```
 */
export function latchkey(parameters: latchkey.Parameters): latchkey.ReturnType {
  const { config, type = 'LightAccount', signIn, name = 'Latchkey', icon, ...options } = parameters
  const connect = signIn ?? (() => signInByDialog(config))
  const client = { ...options, type }
  const provider = createLazyProvider(async () => {
    const { getProvider } = await providerChunk.load()
    return getProvider({ ...client, connect }, config)
  })
  return (context) => {
    const watch: Watch = (listener) => watchSmartAccountClient<AccountType>(client, config)(listener)
    const make = async () => (await createAccount<AccountType>(client, config)).address
    const methods = createMethods({ provider, watch, make }, config, context)
    return { id: 'latchkey', name, type: 'latchkey', icon, ...methods }
  }
}

/** Returns a provider that loads its implementation on the first request or listener. */
function createLazyProvider(make: () => Promise<WalletProvider>): WalletProvider {
  let made: Promise<WalletProvider> | undefined
  const load = () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
  const follow = (use: (provider: WalletProvider) => unknown) => void load().then(use, () => {})
  const provider: WalletProvider = {
    request: async (request) => (await load()).request(request),
    on(name, listener) {
      follow((real) => real.on(name, listener))
      return provider
    },
    removeListener(name, listener) {
      follow((real) => real.removeListener(name, listener))
      return provider
    },
    destroy() {
      if (made) follow((real) => real.destroy())
      made = undefined
    },
  }
  return provider
}

type Methods = Omit<LatchkeyConnector, 'id' | 'name' | 'type' | 'icon'>
type Watch = (listener: (found: { address?: Address | undefined }) => void) => void
/** `make` returns the account for the current chain. It creates a missing account, but never opens the dialog. */
type Wallet = { provider: WalletProvider; watch: Watch; make(): Promise<Address> }

function createMethods(
  { provider, watch, make }: Wallet,
  config: LatchkeyConfig,
  { emitter }: ConnectorContext,
): Methods {
  const ask = <result>(method: string, ...params: unknown[]) => provider.request({ method, params }) as Promise<result>
  const isSignedIn = () => getSignerStatus(config).isConnected
  /**
   * Returns the account. Returns an empty list if the session ends during account creation: wagmi is still connecting
   * then and ignores the disconnect event.
   */
  async function getAccounts(): Promise<Address[]> {
    if (!isSignedIn()) return []
    const address = await make()
    return isSignedIn() ? [address] : []
  }
  const getChainId = async () => config.coreStore.getState().chain.id
  const findChain = (chainId: number) => config.coreStore.getState().connections.get(chainId)?.chain

  /** Switches the chain, then creates its account before wagmi gets the chain event. */
  async function switchChain({ chainId }: { chainId: number }): Promise<Chain> {
    const chain = findChain(chainId)
    if (!chain) throw new SwitchChainError(new ProviderRpcError('unrecognizedChain', noChain(chainId)))
    await ask('wallet_switchEthereumChain', { chainId: numberToHex(chainId) }).catch(toConnectError)
    emitter.emit('change', { accounts: await getAccounts().catch(toConnectError), chainId })
    return chain
  }

  // Overloads, since wagmi's result depends on its parameters.
  async function connect<withCapabilities extends boolean = false>(
    parameters?: ConnectParameters<withCapabilities>,
  ): Promise<ConnectResult<withCapabilities>>
  async function connect({
    chainId,
    isReconnecting,
    withCapabilities,
  }: ConnectParameters<boolean> = {}): Promise<ConnectResult<true> | ConnectResult<false>> {
    await waitForSession(config)
    // Only a user action may open the dialog, not wagmi's automatic reconnect.
    if (!isReconnecting) await ask('eth_requestAccounts').catch(toConnectError)
    if (chainId !== undefined && chainId !== (await getChainId()) && findChain(chainId)) await switchChain({ chainId })
    const found = { accounts: await getAccounts(), chainId: await getChainId() }
    if (found.accounts.length === 0) throw noSession()
    if (!withCapabilities) return found
    return { ...found, accounts: found.accounts.map((address) => ({ address, capabilities: {} })) }
  }

  return {
    async setup() {
      followSession(config, {
        async signedIn() {
          const accounts = await getAccounts()
          if (accounts.length > 0) emitter.emit('connect', { accounts, chainId: await getChainId() })
        },
        signedOut: () => emitter.emit('disconnect'),
        failed: (error) => emitter.emit('error', { error }),
      })
      watch(({ address }) => {
        if (address) emitter.emit('change', { accounts: [address] })
      })
      watchChain(config)(({ id }) => emitter.emit('change', { chainId: id }))
    },
    connect,
    disconnect: () => disconnect(config),
    getAccounts,
    getChainId,
    getProvider: async () => provider,
    isAuthorized: () => waitForSession(config),
    switchChain,
    // `setup` already handles these events.
    onAccountsChanged() {},
    onChainChanged() {},
    onDisconnect() {},
  }
}

const noChain = (chainId: number) =>
  `Latchkey has no connection for chain ${chainId}. Add one to createConfig({ connections }).`
const noSession = () => new ProviderRpcError('unauthorized', 'There is no session to resume. Connect again.')

/** Restores an earlier session or completes an e-mail sign-in. Returns whether the user is signed in afterwards. */
async function waitForSession(config: LatchkeyConfig): Promise<boolean> {
  if (!config._internal.page) return false
  await hydrate(config).onMount()
  const isOpen = () => ['INITIALIZING', 'AUTHENTICATING'].includes(getSignerStatus(config).status)
  if (isOpen()) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(end, sessionTimeoutMs)
      const stop = watchSignerStatus(config)(() => isOpen() || end())
      function end() {
        clearTimeout(timer)
        stop()
        resolve()
      }
    })
  }
  return getSignerStatus(config).isConnected
}

type Listener = { signedIn(): Promise<unknown>; signedOut(): void; failed(error: Error): void }

/** Calls the listener on sign-in and sign-out. Skips restored sessions, which wagmi's `reconnect` handles. */
function followSession(config: LatchkeyConfig, listener: Listener): void {
  let previous = getSignerStatus(config)
  watchSignerStatus(config)((status) => {
    const before = previous
    previous = status
    if (status.isConnected && before.status !== 'INITIALIZING') listener.signedIn().catch(listener.failed)
    if (status.isDisconnected && before.isConnected) listener.signedOut()
  })
}
