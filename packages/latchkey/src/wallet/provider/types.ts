import type { Address, Chain, Hex } from 'viem'
import type { RpcClient, SmartAccountClient } from '../client/types.ts'
import type { ProviderRpcError } from './ProviderRpcError.ts'

/** Values of each event (EIP-1193 § Events). */
export type ProviderEvents = {
  connect: [info: { chainId: Hex }]
  disconnect: [error: ProviderRpcError]
  chainChanged: [chainId: Hex]
  accountsChanged: [accounts: readonly Address[]]
}

/** Wallet in the form that other libraries use (EIP-1193). */
export type WalletProvider = {
  request(request: { method: string; params?: unknown }): Promise<unknown>
  on<name extends keyof ProviderEvents>(name: name, listener: (...values: ProviderEvents[name]) => void): WalletProvider
  removeListener<name extends keyof ProviderEvents>(
    name: name,
    listener: (...values: ProviderEvents[name]) => void,
  ): WalletProvider
  /** Ends every subscription of the provider. */
  destroy(): void
}

/** Request shown to the user for consent. */
export type ConfirmRequest = { method: string; params: readonly unknown[]; address: Address; chainId: number }

export type ProviderOptions = {
  /**
   * Asks the user for consent before anything is signed or sent. If it returns false or rejects, the request is refused
   * with 4001.
   * @default consent is left to the app
   */
  confirm?: ((request: ConfirmRequest) => boolean | Promise<boolean>) | undefined
  /** Signs the user in, for `eth_requestAccounts` without an account. Resolves when the user is signed in. */
  connect?: (() => Promise<unknown>) | undefined
  /** Shows the calls of an id (`wallet_showCallsStatus`). Without this function, the method is not supported. */
  showCallsStatus?: ((id: string) => unknown) | undefined
}

/** Source of a provider's account and chain. */
export type ProviderWallet = {
  chain(): Chain
  /** Returns every chain that can be switched to, including the current one. */
  chainIds(): readonly number[]
  /** Returns the node and bundler client of a chain; undefined for an unknown chain. */
  reader(chainId: number): RpcClient | undefined
  /** Returns the current client; undefined without an account on the chain. */
  client(): SmartAccountClient | undefined
  /** Waits for a pending account. */
  readyClient(): Promise<SmartAccountClient | undefined>
  /** Switches to a chain of `chainIds`. */
  switchChain(chainId: number): Promise<void>
  /** Calls the listener when the chain or the client may have changed. Returns an unsubscribe function. */
  watch(listener: () => void): () => void
}

export type ProviderContext = { wallet: ProviderWallet; options: ProviderOptions }

/** Handler of one method, with its parameters as a list. */
export type ProviderMethod = (context: ProviderContext, params: readonly unknown[], method: string) => Promise<unknown>
