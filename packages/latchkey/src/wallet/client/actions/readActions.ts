import type { Chain, Client, PublicActions, Transport } from 'viem'
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

const actions = {
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

export type ReadActions = Pick<PublicActions<Transport, Chain>, keyof typeof actions>

/**
 * The reads apps make, as members of a client. All of viem's `publicActions` would more than double what a page loads;
 * `client.extend(publicActions)` adds the rest.
 */
export function readActions(client: Client<Transport, Chain>): ReadActions {
  const bound = Object.entries(actions).map(([name, action]) => [
    name,
    (parameters: never) => (action as (client: Client, parameters: never) => unknown)(client as Client, parameters),
  ])
  return Object.fromEntries(bound) as ReadActions
}
