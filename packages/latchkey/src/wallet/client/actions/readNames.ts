import type { ReadActions } from './reads.ts'

/** Names of the read actions. An object, so that TypeScript detects missing names. */
export const readNames: { readonly [name in keyof ReadActions]: true } = {
  call: true,
  getBalance: true,
  getBlock: true,
  getBlockNumber: true,
  getChainId: true,
  getCode: true,
  getContractEvents: true,
  getGasPrice: true,
  getLogs: true,
  getStorageAt: true,
  getTransaction: true,
  getTransactionCount: true,
  getTransactionReceipt: true,
  multicall: true,
  readContract: true,
  waitForTransactionReceipt: true,
}
