import type { createSchemes } from '../paymasters/schemes.ts'

/** A chain that the gateway serves. */
export type ChainOptions = {
  chainId: number
  /**
   * Aliases of the chain id in a path (`/eth-sepolia/v2/{key}`), or as the host name or its first label
   * (`eth-sepolia.gateway.example`). Accepts lower-case letters, digits, dots and dashes.
   *
   * @default none
   */
  names?: readonly string[] | undefined
  /** JSON-RPC nodes, the preferred one first. URLs may contain keys and are never shown. */
  nodeUrls: readonly string[]
  /** ERC-4337 bundlers, the preferred one first. */
  bundlerUrls: readonly string[]
  /** Paymasters by EntryPoint version. Operations of a version without one are not sponsored. */
  paymasters?: createSchemes.Parameters['paymasters'] | undefined
  /** @default Ether, ETH, 18 decimals */
  nativeCurrency?: { name: string; symbol: string; decimals: number } | undefined
  /**
   * Gas limit of a simulated call.
   *
   * @default 50000000n
   */
  maxCallGas?: bigint | undefined
  /**
   * Gas of simulated calls that the nodes execute concurrently, for all clients of one replica; further calls are
   * queued. One API key may use three quarters of it, one client IP address half.
   *
   * @default 536870912n
   */
  maxGasAtOnce?: bigint | undefined
  /**
   * Blocks that one request may search for logs.
   *
   * @default 10000n
   */
  maxLogBlocks?: bigint | undefined
  /**
   * Number of later blocks after which a block is final; until then a reorganization may undo it.
   * @default 12
   */
  confirmations?: number | undefined
  /**
   * Milliseconds between requests for the newest block, shared by all clients that wait for an operation. While no
   * client waits, the interval is ten times longer, and at least one second.
   *
   * @default 500
   */
  pollMs?: number | undefined
  /** @default 10000 for a node, 15000 for a bundler */
  timeoutsMs?: { node?: number | undefined; bundler?: number | undefined } | undefined
}
