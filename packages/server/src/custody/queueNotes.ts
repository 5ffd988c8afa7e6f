import type { WebhookType } from 'latchkey-protocol'
import type { Db } from '../platform/database/openStore.ts'
import type { DoneEvent } from '../platform/observability/securityEvents.ts'
import { isWanted, queueWebhooks, type WebhookOccurrence } from '../store/webhookOutbox.ts'
import type { CustodyContext, Note } from './deps.ts'
import { trustedProjects } from './organizations/trustedProjects.ts'

/** Events that are sent as webhooks. */
const types: Partial<Record<DoneEvent, WebhookType>> = {
  account_created: 'user.created',
  credential_added: 'credential.added',
  exported: 'wallet.exported',
}

/**
 * Queues webhooks for recorded events in the same transaction. All projects of the parent organization receive them,
 * since a user belongs to the parent rather than to one project.
 */
export async function queueNotes(
  context: Pick<CustodyContext, 'projects' | 'rootOrganizationId'>,
  db: Db,
  notes: readonly Note[],
): Promise<void> {
  for (const note of notes) {
    const type = types[note.event]
    if (!type || !isWanted(context.projects, type)) continue
    const parentId = note.created ? note.organizationId : await readParent(db, note.organizationId)
    if (parentId !== null) await queueWebhooks(db, trustedProjects(context, parentId), toEventData(type, note))
  }
}

function toEventData(type: WebhookType, note: Note): WebhookOccurrence[] {
  const { organizationId, userId, activityId, activityType = '', created } = note
  if (type === 'user.created')
    return (created?.userIds ?? []).map((id) => ({
      type,
      once: `user ${id}`,
      data: { organizationId: created?.organizationId ?? organizationId, userId: id },
    }))
  if (userId === undefined || activityId === undefined) return []
  const data = { organizationId, userId, activityId }
  const once = `activity ${activityId}`
  if (type === 'wallet.exported') return [{ type, once, data }]
  const kind = activityType.includes('AUTHENTICATORS') ? 'passkey' : 'api-key'
  return type === 'credential.added' ? [{ type, once, data: { ...data, kind } }] : []
}

/** Returns null for a parent's own organization, whose users belong to no project. */
async function readParent(db: Db, id: string): Promise<string | null> {
  const row = await db.selectFrom('organizations').select('parent_id').where('id', '=', id).executeTakeFirst()
  return row?.parent_id ?? null
}
