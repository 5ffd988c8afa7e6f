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

/** A wallet as other libraries take it (EIP-1193). */
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

/** What a person is asked to agree to. */
export type ConfirmRequest = { method: string; params: readonly unknown[]; address: Address; chainId: number }

export type ProviderOptions = {
  /**
   * Asks the person before anything is signed or sent. False, or a rejection, refuses the request with 4001.
   * @default the app has asked already
   */
  confirm?: ((request: ConfirmRequest) => boolean | Promise<boolean>) | undefined
  /** Signs the person in, for `eth_requestAccounts` while there is no account. Resolves when that is done. */
  connect?: (() => Promise<unknown>) | undefined
  /** Shows the calls of an id (`wallet_showCallsStatus`). Without it the method is not supported. */
  showCallsStatus?: ((id: string) => unknown) | undefined
}

/** Where a provider's account and chain come from. */
export type ProviderWallet = {
  chain(): Chain
  /** Every chain that can be switched to, the present one too. */
  chainIds(): readonly number[]
  /** Node and bundler of a chain; undefined where it is not one of these. */
  reader(chainId: number): RpcClient | undefined
  /** Undefined while there is no account on the chain. */
  client(): SmartAccountClient | undefined
  /** Waits for an account that is being made. */
  readyClient(): Promise<SmartAccountClient | undefined>
  /** Only ids of `chainIds`. */
  switchChain(chainId: number): Promise<void>
  /** Calls the listener when chain or client may have changed. Returns a function that ends it. */
  watch(listener: () => void): () => void
}

export type ProviderContext = { wallet: ProviderWallet; options: ProviderOptions }

/** One method: its parameters as a list. */
export type ProviderMethod = (context: ProviderContext, params: readonly unknown[], method: string) => Promise<unknown>
