import type { Limit } from '../platform/limits/rateLimit.ts'

/** Rate limits of one client IP address, API key or project, and bounds of the node's work for one request. */
export type GatewayLimits = {
  /** Requests from one client IP address, counted before its key is checked. */
  requestsPerIp: Limit
  /** Calls with one API key; each call of a batch counts. */
  requestsPerKey: Limit
  requestsPerProject: Limit
  /** Compute units (`methodUnits`) of the calls from one client IP address, with one key or of one project. */
  unitsPerIp: Limit
  unitsPerKey: Limit
  unitsPerProject: Limit
}

const minute = 60_000

export const defaultLimits: GatewayLimits = {
  requestsPerIp: { limit: 3_000, windowMs: minute },
  requestsPerKey: { limit: 60_000, windowMs: minute },
  requestsPerProject: { limit: 120_000, windowMs: minute },
  unitsPerIp: { limit: 90_000, windowMs: minute },
  // 100 times the limit of one IP address, so that fewer clients cannot use up the limit of a page's key.
  unitsPerKey: { limit: 9_000_000, windowMs: minute },
  unitsPerProject: { limit: 18_000_000, windowMs: minute },
}

/** Bounds of one request. */
export const bounds = {
  bodyBytes: 1024 * 1024,
  batchCalls: 50,
  /** Members, entries and nesting depth of a call's params; a schema checks each one. */
  paramValues: 20_000,
  paramDepth: 128,
  /** Concurrent calls of one batch. */
  batchConcurrency: 10,
  /** Bytes of all responses to one request; enough for a long range of logs. */
  responseBytes: 16 * 1024 * 1024,
  /** Gas of an `eth_call`, or of all calls of an `eth_simulateV1`; overridden by a chain's `maxCallGas`. */
  callGas: 50_000_000n,
  /** Gas of a call without a gas limit, since no transaction may use more (EIP-7825). */
  unnamedCallGas: 2n ** 24n,
  /** Gas of simulated calls that a chain's node executes concurrently; overridden by a chain's `maxGasAtOnce`. */
  gasAtOnce: 32n * 2n ** 24n,
  /** Concurrent estimates of a chain's bundler. */
  estimatesAtOnce: 16,
  /** Maximum queued expensive calls: in total, of one API key, and of one IP address with that key. */
  waitingCalls: { total: 2_048, perGroup: 512, perMember: 64 },
  waitingMs: 10_000,
  /** Block range of an `eth_getLogs` or a filter; overridden by a chain's `maxLogBlocks`. */
  logBlocks: 10_000n,
  logAddresses: 1_000,
  logTopics: 1_000,
  feeHistoryBlocks: 1_024n,
  feeHistoryPercentiles: 100,
  accessListEntries: 1_000,
  authorizations: 16,
  proofKeys: 1_024,
  overrideAccounts: 64,
  simulatedBlocks: 16,
  simulatedCalls: 100,
} as const

/** Compute units per method: its cost for the node, the bundler or the gateway, relative to reading a block number. */
const methodUnits: Readonly<Record<string, number>> = {
  eth_chainId: 1,
  eth_supportedEntryPoints: 1,
  net_listening: 1,
  net_version: 1,
  web3_clientVersion: 1,
  web3_sha3: 5,
  eth_blobBaseFee: 10,
  eth_blockNumber: 10,
  eth_feeHistory: 10,
  eth_gasPrice: 10,
  eth_maxPriorityFeePerGas: 10,
  eth_syncing: 10,
  eth_uninstallFilter: 10,
  rundler_maxPriorityFeePerGas: 10,
  eth_call: 26,
  eth_createAccessList: 50,
  eth_estimateGas: 50,
  eth_getBlockReceipts: 100,
  eth_getFilterLogs: 75,
  eth_getLogs: 75,
  eth_getProof: 50,
  eth_newFilter: 50,
  eth_sendRawTransaction: 100,
  eth_simulateV1: 200,
  eth_getUserOperationByHash: 25,
  eth_getUserOperationReceipt: 25,
  eth_estimateUserOperationGas: 300,
  eth_sendUserOperation: 500,
  latchkey_waitForUserOperation: 50,
  alchemy_simulateUserOperationAssetChanges: 500,
  pm_getPaymasterStubData: 100,
  pm_getPaymasterData: 500,
  alchemy_requestPaymasterAndData: 500,
  alchemy_requestGasAndPaymasterAndData: 1_000,
  latchkey_prepareUserOperation: 1_050,
  // Each call may insert a row.
  wallet_requestAccount: 250,
  wallet_prepareCalls: 1_100,
  wallet_sendPreparedCalls: 525,
  wallet_getCallsStatus: 75,
  // Hashes as much data as `typedDataBounds` allow.
  wallet_prepareSign: 500,
  wallet_formatSign: 40,
}

/** Compute units of methods missing from the table, and of refused methods. */
const otherUnits = 20

/** Gas per compute unit. Applies if the result exceeds the method's own units. */
const gasPerUnit = 250_000n

/**
 * Returns the compute units of a request's calls. An unreadable call costs as much as a refused method. Calls that
 * execute code are charged by the gas they may use, up to `maxCallGas`.
 */
export function countUnits(calls: readonly unknown[], maxCallGas: bigint): number {
  return calls.reduce<number>((sum, call) => sum + countCall(call, maxCallGas), 0)
}

function countCall(call: unknown, maxCallGas: bigint): number {
  if (!isRecord(call) || typeof call.method !== 'string') return otherUnits
  const { method, params } = call
  const units = Object.hasOwn(methodUnits, method) ? (methodUnits[method] ?? otherUnits) : otherUnits
  if (!runMethods.has(method)) return units
  const [given] = Array.isArray(params) ? (params as unknown[]) : []
  const gas = callGas(isRecord(given) ? given.gas : undefined, maxCallGas)
  return Math.max(units, Math.ceil(Number(gas) / Number(gasPerUnit)))
}

const runMethods = new Set(['eth_call', 'eth_createAccessList', 'eth_estimateGas'])

/** Returns the gas limit of a call: the one it specifies, at most the cap. */
export function callGas(named: unknown, maxCallGas: bigint): bigint {
  const isNamed = typeof named === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(named)
  const gas = isNamed ? BigInt(named) : bounds.unnamedCallGas
  return gas < maxCallGas ? gas : maxCallGas
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
