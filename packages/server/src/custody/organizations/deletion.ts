import { sql } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { recordOwn } from '../activities/recordOwn.ts'
import { assertGenuineActivity, updateActivity } from '../activities/storedActivity.ts'
import { eraseEntries } from '../audit/eraseEntries.ts'
import { deleteOrganization } from '../audit/logEntry.ts'
import { revokeCredentials } from '../credentials/revokeCredentials.ts'
import { custodyError, custodyErrorBody } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { enqueueNotice } from '../enqueueMail.ts'
import { inNotedTransaction } from '../inNotedTransaction.ts'
import { isGenuine, mac } from '../macs.ts'
import { writeEmail } from './userEmail.ts'

type Context = Pick<CustodyContext, 'macKey' | 'now'>
/** Dependencies for destroying keys and reporting it by e-mail. */
export type DestroyingContext = Context &
  Pick<CustodyContext, 'db' | 'logger' | 'mailSealKey' | 'projects' | 'rootOrganizationId' | 'confirmationUrl'>
type NotingContext = DestroyingContext & Pick<CustodyContext, 'note'>
type PlanningContext = NotingContext & Pick<CustodyContext, 'deletionGraceMs'>

/**
 * Deletes a sub-organization: it is disabled immediately, and its keys are destroyed after the grace period. Every user
 * with an address gets an e-mail with a link that cancels the deletion.
 */
export async function planDeletion(
  context: PlanningContext,
  db: Db,
  { orgId, activityId }: { orgId: string; activityId: string },
): Promise<void> {
  const dueAt = new Date(context.now() + context.deletionGraceMs)
  await writeDeletedAt(context, db, { orgId, deletedAt: dueAt })
  if (context.deletionGraceMs === 0) return destroyOrganization(context, db, { orgId, activityId })
  const users = await db.selectFrom('users').select('id').where('org_id', '=', orgId).execute()
  for (const { id: userId } of users)
    await enqueueNotice(context, db, { kind: 'deletion-planned', organizationId: orgId, userId, activityId, dueAt })
}

/**
 * Deletes a sub-organization for a user who asked the server's operator, with the same grace period, e-mails and
 * cancellation. Logs the deletion as custody's own activity, since it only removes rights. @throws
 * `ORGANIZATION_NOT_FOUND`, `STATE_CONFLICT`.
 */
export async function deleteAsOperator(given: Omit<PlanningContext, 'note'>, orgId: string): Promise<Date> {
  return inNotedTransaction(given, undefined, async (db, context) => {
    const row = await db.selectFrom('organizations').selectAll().where('id', '=', orgId).forUpdate().executeTakeFirst()
    if (!row?.parent_id || !isGenuine(context.macKey, 'organizations', row))
      throw new ServerError(`There is no organization ${orgId} that could be deleted.`, {
        code: 'ORGANIZATION_NOT_FOUND',
        status: 404,
      })
    if (row.deleted_at)
      throw new ServerError(`It is deleted: its keys are destroyed on ${row.deleted_at.toISOString()}.`, {
        code: 'STATE_CONFLICT',
        status: 409,
      })
    const user = await db
      .selectFrom('users')
      .select('id')
      .where('org_id', '=', orgId)
      .orderBy('created_at')
      .executeTakeFirst()
    const by = { user_id: user?.id ?? nullId, credential_id: nullId }
    const intent = { deleteSubOrganizationIntent: { deleteWithoutExport: true, byOperator: true } }
    const activityId = await recordOwn(context, db, { orgId, type: deleteOrganization, intent, by })
    await planDeletion(context, db, { orgId, activityId })
    return new Date(context.now() + context.deletionGraceMs)
  })
}

/**
 * Cancels a deletion while the keys exist. The status of the deletion's activity becomes rejected.
 *
 * @throws `REQUEST_INVALID`.
 */
export async function cancelDeletion(context: Context, db: Db, { orgId }: { orgId: string }): Promise<void> {
  const row = await selectLocked(db, orgId)
  if (!row.deleted_at || row.destroyed_at || row.deleted_at.getTime() <= context.now())
    throw custodyError('REQUEST_INVALID', 'There is no deletion that could be cancelled.')
  await writeDeletedAt(context, db, { orgId, deletedAt: null })
  const deletions = await db
    .selectFrom('activities')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('type', '=', deleteOrganization)
    .where('status', '=', 'ACTIVITY_STATUS_COMPLETED')
    .forUpdate()
    .execute()
  const failure = custodyErrorBody(custodyError('REQUEST_INVALID', 'The deletion was cancelled.'))
  for (const deletion of deletions)
    await updateActivity(context, db, assertGenuineActivity(context, deletion), {
      status: 'ACTIVITY_STATUS_REJECTED',
      failure: { ...failure },
    })
  // Ends the other links to cancel this deletion, in the e-mails to each user and in sign-in notices.
  await db
    .updateTable('confirmations')
    .set({ decided_at: new Date(context.now()) })
    .where('org_id', '=', orgId)
    .where('kind', '=', 'keep')
    .where('decided_at', 'is', null)
    .execute()
}

const maxDestroyed = 20

/**
 * Destroys the keys of organizations whose grace period is over. Returns how many organizations it checked. The
 * database's clock must agree, since keys cannot be restored and a machine's clock may briefly jump ahead.
 */
export async function destroyDeleted(given: DestroyingContext): Promise<number> {
  return inNotedTransaction(given, undefined, async (db, context) => {
    const rows = await db
      .selectFrom('organizations')
      .selectAll()
      .where('deleted_at', '<=', new Date(context.now()))
      .where('deleted_at', '<=', sql<Date>`latchkey_now()`)
      .where('destroyed_at', 'is', null)
      .orderBy('deleted_at')
      .limit(maxDestroyed)
      .forUpdate()
      .skipLocked()
      .execute()
    for (const row of rows) {
      // Write access to the database does not suffice to destroy keys.
      if (isGenuine(context.macKey, 'organizations', row)) {
        const activityId = await findDeletion(db, row.id)
        await destroyOrganization(context, db, { orgId: row.id, activityId })
      } else {
        context.logger.error({ orgId: row.id }, 'An organization was not deleted by custody, so its keys stay')
        await db
          .updateTable('organizations')
          .set({ destroyed_at: sql<Date>`latchkey_now()` })
          .where('id', '=', row.id)
          .execute()
      }
    }
    return rows.length
  })
}

async function findDeletion(db: Db, orgId: string): Promise<string | undefined> {
  const activity = await db
    .selectFrom('activities')
    .select('id')
    .where('org_id', '=', orgId)
    .where('type', '=', deleteOrganization)
    .where('status', '=', 'ACTIVITY_STATUS_COMPLETED')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return activity?.id
}

/**
 * Destroys a sub-organization: erases its keys, its users' addresses and all names, revokes its credentials, and sends
 * the users a last e-mail. Activities remain, without their content.
 */
async function destroyOrganization(
  context: NotingContext,
  db: Db,
  { orgId, activityId }: { orgId: string; activityId: string | undefined },
): Promise<void> {
  const users = await db.selectFrom('users').selectAll().where('org_id', '=', orgId).forUpdate().execute()
  for (const user of users) {
    if (activityId)
      await enqueueNotice(context, db, { kind: 'keys-destroyed', organizationId: orgId, userId: user.id, activityId })
    const held = await db
      .selectFrom('credentials')
      .select('id')
      .where('org_id', '=', orgId)
      .where('user_id', '=', user.id)
      .execute()
    await revokeCredentials(context, db, { orgId, userId: user.id, ids: held.map(({ id }) => id) })
    await writeEmail(context, db, { user, email: null, email_verified_at: null, email_claimed: false })
  }
  await db.deleteFrom('mail_outbox').where('org_id', '=', orgId).where('template', '<>', 'keys-destroyed').execute()
  for (const table of ['users', 'credentials'] as const)
    await db.updateTable(table).set({ name: '' }).where('org_id', '=', orgId).execute()
  for (const table of [
    'oauth_providers',
    'multi_factors',
    'wallets',
    'private_keys',
    'import_targets',
    'confirmations',
    'mail_codes',
  ] as const)
    await db.deleteFrom(table).where('org_id', '=', orgId).execute()
  await db
    .updateTable('organizations')
    .set({ destroyed_at: new Date(context.now()), name: '' })
    .where('id', '=', orgId)
    .execute()
  await eraseActivities(context, db, { orgId, activityId })
  context.note({ event: 'keys_destroyed', organizationId: orgId })
}

const nullId = '00000000-0000-0000-0000-000000000000'
/**
 * Maximum time between an organization's row and the activity that created it. Both times are of this machine's clock.
 */
const clockToleranceMs = 600_000

/** Erases the content of the organization's chain, and of the activity in its parent's chain that created it. */
async function eraseActivities(
  context: Context,
  db: Db,
  { orgId, activityId }: { orgId: string; activityId: string | undefined },
): Promise<void> {
  const deletion =
    activityId === undefined
      ? undefined
      : await db.selectFrom('activities').selectAll().where('id', '=', activityId).executeTakeFirst()
  const by = { user_id: deletion?.user_id ?? nullId, credential_id: deletion?.credential_id ?? nullId }
  const { parent_id, created_at } = await selectLocked(db, orgId)
  const made =
    parent_id === null
      ? []
      : await db
          .selectFrom('activities')
          .select('id')
          .where('org_id', '=', parent_id)
          .where('created_at', '>=', new Date(created_at.getTime() - clockToleranceMs))
          .where('created_at', '<=', new Date(created_at.getTime() + clockToleranceMs))
          .where('type', 'like', 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION%')
          .where(sql<boolean>`result::text like ${`%"${orgId}"%`}`)
          .execute()
  const activityIds = made.map(({ id }) => id)
  if (parent_id !== null && activityIds.length > 0)
    await eraseEntries(context, db, { orgId: parent_id, activityIds, by })
  await eraseEntries(context, db, { orgId, by })
}

async function writeDeletedAt(
  context: Context,
  db: Db,
  { orgId, deletedAt: deleted_at }: { orgId: string; deletedAt: Date | null },
): Promise<void> {
  const row = await selectLocked(db, orgId)
  await db
    .updateTable('organizations')
    .set({ deleted_at, mac: mac(context.macKey, 'organizations', { ...row, deleted_at }) })
    .where('id', '=', orgId)
    .execute()
}

function selectLocked(db: Db, orgId: string) {
  return db.selectFrom('organizations').selectAll().where('id', '=', orgId).forUpdate().executeTakeFirstOrThrow()
}
