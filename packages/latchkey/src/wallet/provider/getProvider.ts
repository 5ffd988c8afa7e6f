import { setChain, watchChain } from '../actions/chain.ts'
import { createAccount } from '../actions/createAccount.ts'
import { getSmartAccountClient, watchSmartAccountClient } from '../actions/smartAccountClient.ts'
import type { ClientOf } from '../client/AccountKind.ts'
import { createBundlerClient } from '../client/createBundlerClient.ts'
import type { SmartAccountClient } from '../client/types.ts'
import type { AccountType, LatchkeyConfig } from '../store/types.ts'
import { createWalletProvider } from './createProvider.ts'
import type { ProviderRpcError } from './ProviderRpcError.ts'
import type { ProviderOptions, WalletProvider } from './types.ts'

export declare namespace getProvider {
  type Parameters<type extends AccountType = AccountType> = getSmartAccountClient.Parameters<type> & ProviderOptions
  type ReturnType = WalletProvider
  type ErrorType = ProviderRpcError
}

/**
 * Creates a wallet provider (EIP-1193, EIP-5792) for other libraries from the user's account of the given `type`. Until
 * `destroy` is called, it follows sign-in, sign-out and the config's active chain, and creates a missing account.
 *
 * @example
 * ```ts
 * import { announceProvider, getProvider } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const provider = getProvider({ type: 'LightAccount', gasManagerConfig: { policyId: 'dev-sponsor-all' } }, config)
 * const [address] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
 * ```
 */
export function getProvider<type extends AccountType>(
  parameters: getProvider.Parameters<type>,
  config: LatchkeyConfig,
): getProvider.ReturnType {
  const { confirm, connect, showCallsStatus, ...forClient } = parameters
  const { type, accountParams } = forClient
  const { coreStore, clientStore } = config
  const read = (): ClientOf | undefined => getSmartAccountClient<AccountType>(forClient, config).client
  return createWalletProvider(
    {
      chain: () => coreStore.getState().chain,
      chainIds: () => [...coreStore.getState().connections.keys()],
      reader(chainId) {
        const { chain, connections, bundlerClient } = coreStore.getState()
        if (chain.id === chainId) return bundlerClient
        const connection = connections.get(chainId)
        return connection && createBundlerClient({ chain: connection.chain, connection })
      },
      client: read,
      async readyClient(): Promise<SmartAccountClient | undefined> {
        if (!clientStore.getState().signerStatus.isConnected) return undefined
        await createAccount({ type, accountParams }, config)
        return read()
      },
      async switchChain(chainId) {
        const connection = coreStore.getState().connections.get(chainId)
        if (connection) await setChain(config, connection.chain)
      },
      watch(listener) {
        const stops = [watchChain(config)(listener), watchSmartAccountClient<AccountType>(forClient, config)(listener)]
        return () => {
          for (const stop of stops) stop()
        }
      },
    },
    { confirm, connect, showCallsStatus },
  )
}
