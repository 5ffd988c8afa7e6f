import type { Chain, PublicActions, Transport } from 'viem'
import {
  call,
  getBalance,
  getBlock,
  getBlockNumber,
  getChainId,
  getCode,
  getContractEvents,
  getGasPrice,
  getLogs,
  getStorageAt,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
  multicall,
  readContract,
  waitForTransactionReceipt,
} from 'viem/actions'

/**
 * Common reads of apps. All of viem's `publicActions` would more than double what a page loads;
 * `client.extend(publicActions)` adds the rest.
 */
export const reads = {
  call,
  getBalance,
  getBlock,
  getBlockNumber,
  getChainId,
  getCode,
  getContractEvents,
  getGasPrice,
  getLogs,
  getStorageAt,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
  multicall,
  readContract,
  waitForTransactionReceipt,
}

export type ReadActions = Pick<PublicActions<Transport, Chain>, keyof typeof reads>
