import type { Limit } from '../http/rateLimit.ts'

/** What one client address, API key or project may do, and how much one request may ask of the node. */
export type GatewayLimits = {
  /** Requests from one client address, before its key is looked at. */
  requestsPerIp: Limit
  /** Calls with one API key; a batch counts each of its calls. */
  requestsPerKey: Limit
  requestsPerProject: Limit
  /** Compute units (`methodUnits`) of the calls from one client address, with one key, of one project. */
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
  unitsPerKey: { limit: 1_800_000, windowMs: minute },
  unitsPerProject: { limit: 3_600_000, windowMs: minute },
}

/** Bounds of one request. */
export const bounds = {
  bodyBytes: 1024 * 1024,
  batchCalls: 50,
  /** Calls of one batch that run at once. */
  batchConcurrency: 10,
  /** All responses of one request together: a long range of logs fits. */
  responseBytes: 16 * 1024 * 1024,
  /** Gas of an `eth_call`, or of all calls of an `eth_simulateV1`; `maxCallGas` of a chain replaces it. */
  callGas: 50_000_000n,
  /** Blocks of an `eth_getLogs` or a filter; `maxLogBlocks` of a chain replaces it. */
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

/** Compute units of a method: what it costs the node, the bundler or us, measured in look-ups of a block number. */
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
}

/** Of a method that the table does not name, one that is refused included. */
const otherUnits = 20

/** Compute units of the calls of a request; of one that cannot be read, as of a method that is refused. */
export function countUnits(calls: readonly unknown[]): number {
  return calls.reduce<number>((sum, call) => sum + countCall(call), 0)
}

function countCall(call: unknown): number {
  const method = typeof call === 'object' && call !== null && 'method' in call ? call.method : undefined
  return typeof method === 'string' && Object.hasOwn(methodUnits, method)
    ? (methodUnits[method] ?? otherUnits)
    : otherUnits
}
