import type { createSchemes } from '../paymasters/schemes.ts'

/** A chain that the gateway serves. */
export type ChainOptions = {
  chainId: number
  /**
   * Names that stand for the id in a path (`/eth-sepolia/v2/{key}`), or as the host or its first label
   * (`eth-sepolia.gateway.example`): small letters, digits, dots and dashes.
   *
   * @default none
   */
  names?: readonly string[] | undefined
  /** JSON-RPC nodes, the preferred first. URLs may hold keys; they are never shown. */
  nodeUrls: readonly string[]
  /** ERC-4337 bundlers, the preferred first. */
  bundlerUrls: readonly string[]
  /** Who pays, by EntryPoint version. A version without one is not sponsored. */
  paymasters?: createSchemes.Parameters['paymasters'] | undefined
  /** @default Ether, ETH, 18 decimals */
  nativeCurrency?: { name: string; symbol: string; decimals: number } | undefined
  /**
   * Gas that a call which is only run may have.
   *
   * @default 50000000n
   */
  maxCallGas?: bigint | undefined
  /**
   * Gas of such calls that the nodes work at in one moment, for all clients of one copy; what comes on top waits for its
   * turn. One API key has three quarters of it, one client address half.
   *
   * @default 536870912n
   */
  maxGasAtOnce?: bigint | undefined
  /**
   * Blocks that one request may look through for logs.
   *
   * @default 10000n
   */
  maxLogBlocks?: bigint | undefined
  /**
   * Blocks on top of one that make it final: until then what it holds may be taken back.
   *
   * @default 12
   */
  confirmations?: number | undefined
  /**
   * How often the node is asked for its newest block while a client waits for an operation, in milliseconds: one small
   * request for all who wait. Ten times slower otherwise, and at most once a second.
   *
   * @default 500
   */
  pollMs?: number | undefined
  /** @default 10000 for a node, 15000 for a bundler */
  timeoutsMs?: { node?: number | undefined; bundler?: number | undefined } | undefined
}
