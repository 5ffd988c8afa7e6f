import type { Selectable } from 'kysely'
import { type OperatorActivityType, operatorActivityTypes } from 'latchkey-protocol'
import type { OperatorRole } from 'latchkey-protocol/admin'
import { z } from 'zod'
import type { NoticeKind } from '../../keys/mailSeal.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { OrganizationTable } from '../../platform/database/organizationTables.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { assertGenuineActivity } from '../activities/storedActivity.ts'
import { deleteOrganization } from '../audit/logEntry.ts'
import { endSessions, revokeCredentials } from '../credentials/revokeCredentials.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { enqueueNotice } from '../enqueueMail.ts'
import { isTrusted, mac } from '../macs.ts'
import { planDeletion } from '../organizations/deletion.ts'

const dayMs = 86_400_000

/** Input of an action. `organization` belongs to the affected user; its row is locked and its MAC is verified. */
type Execution = {
  db: Db
  activityId: string
  organization: Selectable<OrganizationTable>
  /** Requesting operator, or the first of two. */
  operatorId: string
  parameters: Record<string, unknown>
}

export type OperatorAction = {
  /** Minimum role of each operator. */
  role: OperatorRole
  /** Number of operators who must stamp the request. */
  operators: 1 | 2
  /** Maximum age of the request. @default as other activities */
  maxAgeMs?: number
  /** Activity type in the log. @default the activity's own type */
  recordedType?: string
  parameters: z.ZodType<Record<string, unknown>>
  run(context: CustodyContext, execution: Execution): Promise<void>
}

const none = z.strictObject({})
const credential = z.strictObject({ credentialId: z.uuid() })

/**
 * All operator actions. No action signs, exports, adds a credential or changes an address, so operators cannot take a
 * user's funds.
 */
export const operatorActions: Record<OperatorActivityType, OperatorAction> = {
  [operatorActivityTypes.endSessions]: {
    role: 'operator',
    operators: 1,
    parameters: none,
    async run(context, { db, organization }) {
      for (const userId of await listUsers(db, organization.id))
        await endSessions(context, db, { orgId: organization.id, userId })
    },
  },
  [operatorActivityTypes.removeCredential]: {
    role: 'operator',
    operators: 1,
    parameters: credential,
    run: (context, execution) =>
      removeCredential(context, execution, credential.parse(execution.parameters).credentialId),
  },
  [operatorActivityTypes.freeze]: {
    role: 'operator',
    operators: 1,
    parameters: none,
    async run(context, { db, organization, activityId }) {
      if (organization.frozen_at) throw conflict(`It is frozen since ${organization.frozen_at.toISOString()}.`)
      await writeFrozenAt(context, db, organization, new Date(context.now()))
      await noticeAll(context, { db, organization, activityId }, 'account-frozen')
    },
  },
  [operatorActivityTypes.unfreeze]: {
    role: 'admin',
    operators: 1,
    parameters: none,
    async run(context, { db, organization, activityId, operatorId }) {
      if (!organization.frozen_at) throw conflict('It is not frozen.')
      if ((await findFreezer(context, db, organization.id)) === operatorId)
        throw custodyError('REQUEST_NOT_AUTHORIZED', 'You froze this account. Another operator lifts that.')
      await writeFrozenAt(context, db, organization, null)
      await noticeAll(context, { db, organization, activityId }, 'account-unfrozen')
    },
  },
  [operatorActivityTypes.deleteAccount]: {
    role: 'admin',
    operators: 2,
    maxAgeMs: dayMs,
    recordedType: deleteOrganization,
    parameters: none,
    async run(context, { db, organization, activityId }) {
      if (organization.deleted_at)
        throw conflict(`It is being deleted: its keys are destroyed on ${organization.deleted_at.toISOString()}.`)
      await planDeletion(context, db, { orgId: organization.id, activityId })
    },
  },
}

async function listUsers(db: Db, orgId: string): Promise<string[]> {
  const rows = await db.selectFrom('users').select('id').where('org_id', '=', orgId).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

async function noticeAll(
  context: CustodyContext,
  { db, organization, activityId }: Pick<Execution, 'db' | 'organization' | 'activityId'>,
  kind: NoticeKind,
): Promise<void> {
  for (const userId of await listUsers(db, organization.id))
    await enqueueNotice(context, db, { kind, organizationId: organization.id, userId, activityId })
}

/** Removes a credential, but never the last sign-in method, without which the user would lose access to the keys. */
async function removeCredential(
  context: CustodyContext,
  { db, organization, activityId }: Execution,
  credentialId: string,
): Promise<void> {
  const orgId = organization.id
  const live = await db
    .selectFrom('credentials')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  const found = live.find(({ id }) => id === credentialId)
  if (!found || !isTrusted(context, 'credentials', found))
    throw custodyError('NOT_FOUND', 'This account has no such credential, or it was removed.')
  const userId = found.user_id
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
  const isMailed = user !== undefined && user.email !== null && isTrusted(context, 'users', user)
  const others = live.filter((one) => one.user_id === userId && one.id !== credentialId && one.expires_at === null)
  if (found.expires_at === null && !isMailed && !others.some((one) => isTrusted(context, 'credentials', one)))
    throw conflict('It is the only way in to this account, whose keys would be lost. Freeze the account instead.')
  await revokeCredentials(context, db, { orgId, userId, ids: [credentialId] })
  if (found.expires_at === null)
    await enqueueNotice(context, db, { kind: 'credential-removed', organizationId: orgId, userId, activityId })
}

async function findFreezer(context: CustodyContext, db: Db, orgId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('activities')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('type', '=', operatorActivityTypes.freeze)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && assertGenuineActivity(context, row).user_id
}

async function writeFrozenAt(
  { macKey }: CustodyContext,
  db: Db,
  organization: Selectable<OrganizationTable>,
  frozen_at: Date | null,
): Promise<void> {
  await db
    .updateTable('organizations')
    .set({ frozen_at, mac: mac(macKey, 'organizations', { ...organization, frozen_at }) })
    .where('id', '=', organization.id)
    .execute()
}

function conflict(message: string): ServerError {
  return new ServerError(message, { code: 'STATE_CONFLICT', status: 409 })
}
