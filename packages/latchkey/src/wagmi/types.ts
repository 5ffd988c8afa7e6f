import type { Address, Chain } from 'viem'
import type { WalletProvider } from '../wallet/provider/types.ts'

// Subset of wagmi's connector type. Declared here, so that these types do not import wagmi.

type Connected = { accounts: readonly Address[]; chainId: number }

/** Parameters that wagmi passes to a connector. */
export type ConnectorContext = {
  chains: readonly [Chain, ...Chain[]]
  emitter: {
    emit(name: 'change', data: Partial<Connected>): void
    emit(name: 'connect', data: Connected): void
    emit(name: 'error', data: { error: Error }): void
    emit(name: 'disconnect'): void
  }
}

export type ConnectParameters<withCapabilities> = {
  chainId?: number | undefined
  isReconnecting?: boolean | undefined
  withCapabilities?: withCapabilities | boolean | undefined
}

/** Result of connecting: addresses, or addresses with the wallet's capabilities. */
export type ConnectResult<withCapabilities> = {
  accounts: withCapabilities extends true
    ? readonly { address: Address; capabilities: Record<string, unknown> }[]
    : readonly Address[]
  chainId: number
}

/** Connector of wagmi 2 and 3. */
export type LatchkeyConnector = {
  readonly id: string
  readonly name: string
  readonly type: 'latchkey'
  readonly icon?: string | undefined
  setup(): Promise<void>
  connect<withCapabilities extends boolean = false>(
    parameters?: ConnectParameters<withCapabilities>,
  ): Promise<ConnectResult<withCapabilities>>
  /** Signs out in every tab. */
  disconnect(): Promise<void>
  getAccounts(): Promise<readonly Address[]>
  getChainId(): Promise<number>
  getProvider(): Promise<WalletProvider>
  isAuthorized(): Promise<boolean>
  switchChain(parameters: { chainId: number }): Promise<Chain>
  onAccountsChanged(accounts: string[]): void
  onChainChanged(chainId: string): void
  onDisconnect(): void
}
