import { z } from 'zod'
import { bounds } from '../gatewayLimits.ts'
import {
  block,
  blockNumber,
  blockOverrides,
  call,
  feeHistoryCount,
  hash,
  logFilter,
  percentiles,
  simulation,
  stateOverrides,
  uint64,
  userOperation,
} from '../rpc/nodeParams.ts'
import { address, bytes, quantity } from '../rpc/values.ts'

const none = z.tuple([])
const filterId = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/, 'must be the id of a filter in hex')

/** `block` is optional. Its default at the node is the latest block. */
const run = z.tuple([call, block.optional(), stateOverrides.nullish(), blockOverrides.nullish()])

/**
 * Schemas of the methods forwarded to the node: reads and sending signed transactions. None of them uses keys of the
 * node.
 */
export const nodeMethods: ReadonlyMap<string, z.ZodType<unknown[]>> = new Map<string, z.ZodType<unknown[]>>([
  ['eth_blobBaseFee', none],
  ['eth_blockNumber', none],
  ['eth_call', run],
  ['eth_chainId', none],
  ['eth_createAccessList', z.tuple([call, block.optional()])],
  ['eth_estimateGas', run],
  ['eth_feeHistory', z.tuple([feeHistoryCount, blockNumber, percentiles.nullish()])],
  ['eth_gasPrice', none],
  ['eth_getBalance', z.tuple([address, block.optional()])],
  ['eth_getBlockByHash', z.tuple([hash, z.boolean().optional()])],
  ['eth_getBlockByNumber', z.tuple([blockNumber, z.boolean().optional()])],
  ['eth_getBlockReceipts', z.tuple([z.union([hash, block], 'must be a block number in hex, a tag or a block hash')])],
  ['eth_getBlockTransactionCountByHash', z.tuple([hash])],
  ['eth_getBlockTransactionCountByNumber', z.tuple([blockNumber])],
  ['eth_getCode', z.tuple([address, block.optional()])],
  ['eth_getFilterChanges', z.tuple([filterId])],
  ['eth_getFilterLogs', z.tuple([filterId])],
  ['eth_getLogs', z.tuple([logFilter])],
  ['eth_getProof', z.tuple([address, z.array(quantity).max(bounds.proofKeys), block])],
  ['eth_getStorageAt', z.tuple([address, quantity, block.optional()])],
  ['eth_getTransactionByBlockHashAndIndex', z.tuple([hash, uint64])],
  ['eth_getTransactionByBlockNumberAndIndex', z.tuple([blockNumber, uint64])],
  ['eth_getTransactionByHash', z.tuple([hash])],
  ['eth_getTransactionCount', z.tuple([address, block.optional()])],
  ['eth_getTransactionReceipt', z.tuple([hash])],
  ['eth_getUncleByBlockHashAndIndex', z.tuple([hash, uint64])],
  ['eth_getUncleByBlockNumberAndIndex', z.tuple([blockNumber, uint64])],
  ['eth_getUncleCountByBlockHash', z.tuple([hash])],
  ['eth_getUncleCountByBlockNumber', z.tuple([blockNumber])],
  ['eth_newBlockFilter', none],
  ['eth_newFilter', z.tuple([logFilter])],
  ['eth_sendRawTransaction', z.tuple([bytes])],
  ['eth_simulateV1', z.tuple([simulation, block.optional()])],
  ['eth_syncing', none],
  ['eth_uninstallFilter', z.tuple([filterId])],
  ['net_listening', none],
  ['net_version', none],
  ['web3_clientVersion', none],
  ['web3_sha3', z.tuple([bytes])],
])

/** Schemas of the methods forwarded to the bundler (ERC-4337, ERC-7769). */
export const bundlerMethods: ReadonlyMap<string, z.ZodType<unknown[]>> = new Map<string, z.ZodType<unknown[]>>([
  ['eth_estimateUserOperationGas', z.tuple([userOperation, address, stateOverrides.nullish()])],
  ['eth_getUserOperationByHash', z.tuple([hash])],
  ['eth_getUserOperationReceipt', z.tuple([hash])],
  ['eth_sendUserOperation', z.tuple([userOperation, address])],
  ['eth_supportedEntryPoints', none],
])

/** Bundler methods that are forwarded unchanged. */
export const passedToBundler: ReadonlySet<string> = new Set([
  'eth_getUserOperationByHash',
  'eth_getUserOperationReceipt',
  'eth_supportedEntryPoints',
])
