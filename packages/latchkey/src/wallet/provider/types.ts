import type { Address, Chain, Hex } from 'viem'
import type { RpcClient, SmartAccountClient } from '../client/types.ts'
import type { ProviderRpcError } from './ProviderRpcError.ts'

/** Arguments of each event (EIP-1193 § Events). */
export type ProviderEvents = {
  connect: [info: { chainId: Hex }]
  disconnect: [error: ProviderRpcError]
  chainChanged: [chainId: Hex]
  accountsChanged: [accounts: readonly Address[]]
}

/** Wallet provider for other libraries (EIP-1193). */
export type WalletProvider = {
  request(request: { method: string; params?: unknown }): Promise<unknown>
  on<name extends keyof ProviderEvents>(name: name, listener: (...values: ProviderEvents[name]) => void): WalletProvider
  removeListener<name extends keyof ProviderEvents>(
    name: name,
    listener: (...values: ProviderEvents[name]) => void,
  ): WalletProvider
  /** Unsubscribes the provider from the config. */
  destroy(): void
}

/** Request shown to the user for consent. */
export type ConfirmRequest = { method: string; params: readonly unknown[]; address: Address; chainId: number }

export type ProviderOptions = {
  /**
   * Asks the user for consent before a signature or a transaction. If the function returns false or rejects, the
   * request is refused with 4001.
   * @default no prompt; the app itself asks for consent
   */
  confirm?: ((request: ConfirmRequest) => boolean | Promise<boolean>) | undefined
  /** Signs the user in, for `eth_requestAccounts` without an account. Must resolve once the user is signed in. */
  connect?: (() => Promise<unknown>) | undefined
  /** Shows the calls with a call id (`wallet_showCallsStatus`). Without this function, the method is not supported. */
  showCallsStatus?: ((id: string) => unknown) | undefined
}

/** Source of a provider's account and chain. */
export type ProviderWallet = {
  chain(): Chain
  /** Returns the ids of all available chains, including the current chain. */
  chainIds(): readonly number[]
  /** Returns the chain's client for node and bundler methods; undefined for an unknown chain. */
  reader(chainId: number): RpcClient | undefined
  /** Returns the current client; undefined if there is no account on the chain. */
  client(): SmartAccountClient | undefined
  /** Waits for a pending account and returns its client. */
  readyClient(): Promise<SmartAccountClient | undefined>
  switchChain(chainId: number): Promise<void>
  /** Calls the listener when the chain or client may have changed. Returns an unsubscribe function. */
  watch(listener: () => void): () => void
}

export type ProviderContext = { wallet: ProviderWallet; options: ProviderOptions }

/** Handler of one method. `params` is the parameter list. */
export type ProviderMethod = (context: ProviderContext, params: readonly unknown[], method: string) => Promise<unknown>
