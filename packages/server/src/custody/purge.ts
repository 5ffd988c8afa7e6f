import { sql } from 'kysely'
import { inTransaction } from '../platform/database/inTransaction.ts'
import type { Db } from '../platform/database/openStore.ts'
import { describeError } from '../platform/observability/describeError.ts'
import { metrics } from '../platform/observability/metrics.ts'
import { expiredFailure } from './activities/presentActivity.ts'
import { updateActivity } from './activities/storedActivity.ts'
import { eraseEntries } from './audit/eraseEntries.ts'
import { confirmationMs, keptContactMs, keptLinkMs, keptSessionMs, spendingWindowMs } from './custodyLimits.ts'
import type { CustodyDeps } from './deps.ts'
import { isGenuine } from './macs.ts'
import { type DestroyingContext, destroyDeleted } from './organizations/deletion.ts'

type Context = DestroyingContext

/** Clock difference above which a warning is logged. */
const clockToleranceMs = 60_000
const maxErased = 100
const maxDeleted = 1_000
/** Batches per purge; the next purge continues. */
const maxBatches = 100

export declare namespace startPurge {
  type Options = {
    /** @default 600000 */
    everyMs?: number | undefined
    /** See `RoleClock`. */
    onJump?: CustodyDeps['onJump']
  }
}

/** Purges now, every ten minutes and whenever the time jumps. Returns a function that stops it. */
export function startPurge(
  context: Context,
  { everyMs = 600_000, onJump }: startPurge.Options = {},
): () => Promise<void> {
  const end = new AbortController()
  const once = () =>
    purge(context, end.signal).catch((error: unknown) => {
      context.logger.error({ cause: describeError(error) }, 'What ended is not deleted')
    })
  let running = once()
  const again = () => {
    running = running.then(once)
  }
  const timer = setInterval(again, everyMs)
  const unsubscribe = onJump?.(again)
  return async () => {
    clearInterval(timer)
    unsubscribe?.()
    end.abort()
    await running
  }
}

/**
 * Erases and deletes obsolete data: results that contain a secret, expired session keys, import targets and links, keys
 * of deleted organizations, and addresses to which codes were e-mailed. Works in small batches, so that other work and
 * other replicas do not wait. `signal` stops the purge after the current batch.
 */
export async function purge(context: Context, signal?: AbortSignal): Promise<void> {
  const { db } = context
  await compareClocks(context)
  await repeat(() => inTransaction(db, (inner) => eraseResults(context, inner)), signal)
  const now = new Date(context.now())
  await repeat(() => deleteExpired(db, 'credentials', new Date(now.getTime() - keptSessionMs)), signal)
  await repeat(() => deleteExpired(db, 'import_targets', now), signal)
  await db.deleteFrom('custody_limits').where('free_at', '<', sql<Date>`latchkey_now()`).execute()
  await db
    .deleteFrom('signing_spend')
    .where('spent_at', '<', new Date(now.getTime() - spendingWindowMs))
    .execute()
  await repeat(() => inTransaction(db, (inner) => endUnconfirmed(context, inner)), signal)
  await repeat(() => deleteExpired(db, 'confirmations', new Date(now.getTime() - keptLinkMs)), signal)
  await repeat(() => destroyDeleted(context), signal)
  await repeat(() => inTransaction(db, (inner) => eraseContacts(context, inner)), signal)
}

/** Compares this machine's clock, which checks sessions and request times, with the database's clock. */
async function compareClocks({ db, now, logger }: Context): Promise<void> {
  const { rows } = await sql<{ ms: number }>`select (extract(epoch from latchkey_now()) * 1000)::float8 as ms`.execute(
    db,
  )
  const aheadMs = Math.round(now() - (rows[0]?.ms ?? 0))
  metrics.clockAhead.set(aheadMs / 1000)
  if (Math.abs(aheadMs) > clockToleranceMs)
    logger.warn({ aheadMs }, "The clock of this machine and the database's differ; set both by NTP")
}

async function repeat(runBatch: () => Promise<number>, signal: AbortSignal | undefined): Promise<void> {
  for (let batches = 0; batches < maxBatches && !signal?.aborted; batches++) if ((await runBatch()) === 0) return
}

/**
 * Erases expired results, which are bundles that contain a secret. Results are stored only while the request can be
 * repeated, so that later database copies contain no secret. Returns the number of checked rows.
 */
async function eraseResults(context: Context, db: Db): Promise<number> {
  const rows = await db
    .selectFrom('activities')
    .selectAll()
    .where('result_expires_at', '<=', new Date(context.now()))
    .orderBy('result_expires_at')
    .limit(maxErased)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const row of rows) {
    const erased = { status: row.status, result: {}, result_expires_at: null }
    if (isGenuine(context.macKey, 'activities', row)) await updateActivity(context, db, row, erased)
    // A forged row is erased as well but gets no new MAC, which would make it genuine.
    else
      await db
        .updateTable('activities')
        .set({ result: '{}', result_expires_at: null })
        .where('id', '=', row.id)
        .execute()
  }
  return rows.length
}

async function endUnconfirmed(context: Context, db: Db): Promise<number> {
  const rows = await db
    .selectFrom('activities')
    .selectAll()
    .where('status', '=', 'ACTIVITY_STATUS_PENDING')
    .where('updated_at', '<', new Date(context.now() - confirmationMs))
    .orderBy('updated_at')
    .limit(maxErased)
    .forUpdate()
    .skipLocked()
    .execute()
  const genuine = rows.filter((row) => isGenuine(context.macKey, 'activities', row))
  for (const row of genuine)
    await updateActivity(context, db, row, { status: 'ACTIVITY_STATUS_FAILED', failure: { ...expiredFailure() } })
  return genuine.length
}

/**
 * Erases addresses to which codes were e-mailed (`init_otp`) from the log of the requesting parent and from the outbox,
 * since no account's deletion would erase them. Returns the number of erased addresses.
 */
async function eraseContacts(context: Context, db: Db): Promise<number> {
  const parents = [...new Set([context.rootOrganizationId, ...context.projects.map(toParent(context))])]
  const mails = await db
    .selectFrom('mail_outbox')
    .select(['id', 'activity_id', 'org_id', 'user_id'])
    .where('user_id', 'in', db.selectFrom('users').select('id').where('org_id', 'in', parents))
    .where('template', '=', 'address-code')
    .where('created_at', '<', new Date(context.now() - keptContactMs))
    .orderBy('org_id')
    .limit(maxErased)
    .forUpdate()
    .skipLocked()
    .execute()
  const [first] = mails
  if (!first) return 0
  const own = mails.filter(({ org_id }) => org_id === first.org_id)
  const ids = own.map(({ id }) => id)
  await db.deleteFrom('mail_outbox').where('id', 'in', ids).execute()
  const by = { user_id: first.user_id, credential_id: nullId }
  await eraseEntries(context, db, { orgId: first.org_id, activityIds: own.map((mail) => mail.activity_id), by })
  return own.length
}

const nullId = '00000000-0000-0000-0000-000000000000'
const toParent =
  ({ rootOrganizationId }: Context) =>
  ({ organizationId }: Context['projects'][number]) =>
    organizationId ?? rootOrganizationId

async function deleteExpired(
  db: Db,
  table: 'confirmations' | 'credentials' | 'import_targets',
  before: Date,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where id in (
    select id from ${sql.table(table)} where expires_at < ${before} limit ${maxDeleted} for update skip locked
  )`.execute(db)
  return Number(numAffectedRows)
}
