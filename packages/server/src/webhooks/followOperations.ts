import { sql } from 'kysely'
import type { WebhookData } from 'latchkey-protocol'
import { getAddress, type Hex } from 'viem'
import { inTransaction } from '../platform/database/inTransaction.ts'
import type { Db } from '../platform/database/openStore.ts'
import { type LoggedEvent, listOperationEvents, readLastEventId } from '../store/operations.ts'
import type { WebhookProject } from '../store/webhookEndpoints.ts'
import { queueWebhooks, type WebhookOccurrence } from '../store/webhookOutbox.ts'

const eventsAtOnce = 200

/**
 * Queues webhooks for changes of a project's operations since the last call. Replicas queue each change only once,
 * since the project's cursor is locked and moved in the same transaction. The first call only sets the cursor. Returns
 * whether there may be more.
 */
export function followOperations(db: Db, project: WebhookProject): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const after = await lockCursor(trx, project.id)
    if (after === undefined) return false
    const events = await listOperationEvents(trx, { projectId: project.id, after, limit: eventsAtOnce })
    const last = events.at(-1)
    if (!last) return false
    await queueWebhooks(trx, [project], events.flatMap(toEventData))
    await trx.updateTable('webhook_cursors').set({ event_id: last.id }).where('project_id', '=', project.id).execute()
    return events.length === eventsAtOnce
  })
}

async function lockCursor(trx: Db, projectId: string): Promise<string | undefined> {
  await sql`insert into webhook_cursors (project_id, event_id)
    values (${projectId}, ${await readLastEventId(trx, projectId)}) on conflict do nothing`.execute(trx)
  const row = await trx
    .selectFrom('webhook_cursors')
    .select('event_id')
    .where('project_id', '=', projectId)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row?.event_id
}

/** Reports an inclusion only once confirmed, so that receivers act on final data. */
function toEventData(event: LoggedEvent): WebhookOccurrence[] {
  const operation = {
    userOpHash: event.user_op_hash as Hex,
    chainId: Number(event.chain_id),
    entryPoint: getAddress(event.entry_point),
    sender: getAddress(event.sender),
    nonce: event.nonce,
    policyId: event.policy_id,
  }
  if (event.state === 'included') return event.confirmed ? [toInclusion(event, operation)] : []
  const { state: reason } = event
  if (reason !== 'failed' && reason !== 'dropped' && reason !== 'replaced') return []
  if (reason === 'replaced' && !event.confirmed) return []
  const replacedBy = event.replaced_by as Hex | null
  return [{ type: 'operation.failed', once: `event ${event.id}`, data: { ...operation, reason, replacedBy } }]
}

type Operation = Omit<WebhookData['operation.failed'], 'reason' | 'replacedBy'>

function toInclusion(event: LoggedEvent, operation: Operation): WebhookOccurrence {
  return {
    type: 'operation.included',
    // The key contains the block, which changes only in a reorganization deeper than the chain's confirmations.
    once: `included ${event.user_op_hash} ${event.block_hash}`,
    data: {
      ...operation,
      success: event.success ?? false,
      transactionHash: event.transaction_hash as Hex,
      blockNumber: String(event.block_number),
      blockHash: event.block_hash as Hex,
      actualGasCost: String(event.actual_gas_cost),
    },
  }
}
