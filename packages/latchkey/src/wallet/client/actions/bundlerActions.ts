import type { BundlerActions, RpcClient } from '../types.ts'
import { getSupportedEntryPoints } from './getSupportedEntryPoints.ts'
import { getUserOperationReceipt } from './getUserOperationReceipt.ts'

/** Reads a bundler answers, as members of a client. */
export function bundlerActions(client: RpcClient): BundlerActions {
  return {
    getUserOperationReceipt: (hash) => getUserOperationReceipt(client, hash),
    getSupportedEntryPoints: () => getSupportedEntryPoints(client),
  }
}
