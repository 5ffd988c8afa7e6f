import { type Address, type Hex, numberToHex } from 'viem'
import { toRpcError } from '../../accounts/errors/RpcError.ts'
import { createEmitter } from '../../core/createEmitter.ts'
import type { SmartAccountClient } from '../client/types.ts'
import { ownMethods, readRequest } from './ownMethods.ts'
import { ProviderRpcError, toNodeError, toProviderError } from './ProviderRpcError.ts'
import type {
  ProviderContext,
  ProviderEvents,
  ProviderMethod,
  ProviderOptions,
  ProviderWallet,
  WalletProvider,
} from './types.ts'
import { createWalletCalls } from './walletCalls.ts'

export declare namespace createProvider {
  type Parameters = ProviderOptions & {
    /** Client of the initial account and chain. */
    client: SmartAccountClient
    /** Clients of the account on other chains, for `wallet_switchEthereumChain`. */
    clients?: readonly SmartAccountClient[] | undefined
  }
  type ReturnType = WalletProvider
  type ErrorType = ProviderRpcError
}

/**
 * Creates a wallet provider (EIP-1193, EIP-5792) for other libraries from a smart account. It signs only for this
 * account; unknown methods go to the node. `getProvider` creates a provider that follows a config.
 *
 * @example
 * ```ts
 * import { createProvider, createSmartAccountClient } from 'latchkey'
 * import { createWalletClient, custom } from 'viem'
 * import { account } from './config.ts'
 *
 * const client = createSmartAccountClient({ account, connection: { apiKey: 'latchkey-dev' } })
 * const wallet = createWalletClient({ chain: client.chain, transport: custom(createProvider({ client })) })
 * const [address] = await wallet.getAddresses()
 * ```
 */
export function createProvider(parameters: createProvider.Parameters): createProvider.ReturnType {
  const { client, clients = [], ...options } = parameters
  const all = new Map([client, ...clients].map((each) => [each.chain.id, each]))
  const changes = createEmitter<{ change: [] }>()
  let current = client
  return createWalletProvider(
    {
      chain: () => current.chain,
      chainIds: () => [...all.keys()],
      reader: (chainId) => all.get(chainId),
      client: () => current,
      readyClient: async () => current,
      async switchChain(chainId) {
        current = all.get(chainId) ?? current
        changes.emit('change')
      },
      watch: (listener) => changes.on('change', listener),
    },
    options,
  )
}

/** Creates a provider for any source of accounts and chains. */
export function createWalletProvider(wallet: ProviderWallet, options: ProviderOptions): WalletProvider {
  const context: ProviderContext = { wallet, options }
  const events = createEvents(wallet)
  const methods: { readonly [method: string]: ProviderMethod } = { ...ownMethods, ...createWalletCalls(new Map()) }
  const provider: WalletProvider = {
    async request(request) {
      try {
        const { method, params } = readRequest(request)
        const own = Object.hasOwn(methods, method) ? methods[method] : undefined
        if (own) return await own(context, params, method)
        return await requestNode(context, method, params)
      } catch (error) {
        throw toProviderError(error)
      }
    },
    on(name, listener) {
      events.on(name, listener)
      return provider
    },
    removeListener(name, listener) {
      events.off(name, listener)
      return provider
    },
    destroy: events.destroy,
  }
  return provider
}

/** Methods that only plain keys support, obsolete signing methods, and unsupported wallet methods. */
const refusedMethods = /^wallet_|^eth_sign(?:Transaction|TypedData)|^personal_/

async function requestNode({ wallet }: ProviderContext, method: string, params: readonly unknown[]): Promise<unknown> {
  if (refusedMethods.test(method)) {
    throw new ProviderRpcError('unsupportedMethod', `The wallet does not support ${method}.`)
  }
  const reader = wallet.reader(wallet.chain().id)
  if (!reader) throw new ProviderRpcError('disconnected', 'The wallet is not connected to a chain.')
  // viem's type accepts only known methods.
  const request = reader.request as (call: { method: string; params: readonly unknown[] }) => Promise<unknown>
  try {
    return await request({ method, params })
  } catch (error) {
    throw toNodeError(error, toRpcError(error, { action: 'The node refused the request.' }))
  }
}

/** Emits events for changes. If there already is a chain, `connect` is emitted immediately. */
function createEvents(wallet: ProviderWallet) {
  const emitter = createEmitter<ProviderEvents>()
  const added: { name: keyof ProviderEvents; listener: unknown; stop: () => void }[] = []
  const read = () => ({ chainId: numberToHex(wallet.chain().id), address: wallet.client()?.account.address })
  let last: { chainId: Hex; address: Address | undefined } = read()
  const stop = wallet.watch(() => {
    const [before, now] = [last, read()]
    last = now
    if (!before.address && now.address) emitter.emit('connect', { chainId: now.chainId })
    if (before.chainId !== now.chainId) emitter.emit('chainChanged', now.chainId)
    if (before.address !== now.address) emitter.emit('accountsChanged', now.address ? [now.address] : [])
  })
  return {
    on<name extends keyof ProviderEvents>(name: name, listener: (...values: ProviderEvents[name]) => void) {
      added.push({ name, listener, stop: emitter.on(name, listener) })
    },
    /** Removes one listener, the most recently added, like Node's EventEmitter (EIP-1193). */
    off(name: keyof ProviderEvents, listener: unknown) {
      const index = added.map((each) => each.name === name && each.listener === listener).lastIndexOf(true)
      if (index >= 0) added.splice(index, 1)[0]?.stop()
    },
    destroy() {
      stop()
      emitter.emit('disconnect', new ProviderRpcError('disconnected', 'The wallet was closed.'))
      emitter.clear()
    },
  }
}
