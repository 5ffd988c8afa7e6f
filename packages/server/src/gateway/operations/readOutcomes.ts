import type { OperationOutcome } from '../../platform/database/gatewayTables.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { Operation } from '../../store/operations.ts'
import type { Chain } from '../chains/createChain.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { buildReceipt } from './buildReceipt.ts'
import { claimUnread, writeOutcome } from './operationOutcomes.ts'
import { readAssetChanges } from './readAssetChanges.ts'

/** Number of receipts that are read concurrently, and of such rounds per run. */
const atOnce = 10
const maxRounds = 20
/** Bytes of revert data that are stored. */
const maxRevertBytes = 2_048

/**
 * Reads the receipts of newly included operations for the console. Retries if the node lacks a receipt; stores no
 * outcome if its logs cannot be read.
 * @throws the upstream's errors if no node can be reached.
 */
export async function readOutcomes({ db, chain }: { db: Db; chain: Chain }): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    const unread = await claimUnread(db, { chainId: chain.chainId, limit: atOnce })
    await Promise.all(
      unread.map(async (operation) => {
        const outcome = await readOutcome(chain.node, operation)
        if (!outcome || operation.block_hash === null) return
        await writeOutcome(db, { userOpHash: operation.user_op_hash, blockHash: operation.block_hash, outcome })
      }),
    )
    if (unread.length < atOnce) return
  }
}

async function readOutcome(node: Upstream, operation: Operation): Promise<OperationOutcome | undefined> {
  const receipt = await buildReceipt(node, operation)
  if (!receipt) return undefined
  const { reason = '0x', logs } = receipt
  const isKept = reason !== '0x' && reason.length <= 2 + maxRevertBytes * 2
  return { revertData: isKept ? reason : null, ...readAssetChanges(operation.sender, logs) }
}
