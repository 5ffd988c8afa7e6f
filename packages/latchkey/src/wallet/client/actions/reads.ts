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
 * Read actions that apps commonly use. All of viem's `publicActions` would more than double the size of this chunk;
 * `client.extend(publicActions)` adds the others.
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
