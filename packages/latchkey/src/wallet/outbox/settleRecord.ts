import type { Hex } from 'viem'
import type { ActionContext } from '../client/actions/context.ts'
import { changeRecord, isEnded, readRecords } from './records.ts'
import type { OperationRecord } from './types.ts'

export declare namespace settleRecord {
  type Inclusion = { transactionHash: Hex; success: boolean; blockNumber?: bigint | undefined }
}

/**
 * Records that an operation is in a block. Callers do not await this write: if it fails, the next visit finds the
 * outcome again.
 */
export async function settleRecord(
  context: Pick<ActionContext, 'account' | 'outbox'> & { client: Pick<ActionContext['client'], 'chain'> },
  hash: Hex,
  inclusion: settleRecord.Inclusion,
): Promise<void> {
  const store = context.outbox?.store
  if (!store) return
  const records = await readRecords(store, context)
  const mine = records.find((each) => each.hash?.toLowerCase() === hash.toLowerCase())
  if (mine && !isEnded(mine)) await changeRecord(store, mine, toIncluded(inclusion))
}

export function toIncluded({
  transactionHash,
  success,
  blockNumber,
}: settleRecord.Inclusion): Partial<OperationRecord> {
  return { state: 'included', transactionHash, blockNumber, isReverted: !success }
}
