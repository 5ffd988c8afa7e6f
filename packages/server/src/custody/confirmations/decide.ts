import type { Confirmation, CustodyErrorBody } from 'latchkey-protocol'
import { z } from 'zod'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { ask, completeActivity, toNote } from '../activities/recordActivity.ts'
import { readRecorded, settle, type Waiting } from '../activities/recorded.ts'
import {
  assertGenuineActivity,
  confirmableUntil,
  type StoredActivity,
  splitRevealed,
  updateActivity,
} from '../activities/storedActivity.ts'
import { encryptedBundleSchema } from '../calls/wallets/importKeys.ts'
import { endSessions, revokeCredentials } from '../credentials/revokeCredentials.ts'
import { custodyError, custodyErrorBody } from '../custodyError.ts'
import { uncompressedKeySchema } from '../custodySchemas.ts'
import type { ActivityDefinition } from '../definitions.ts'
import type { CustodyContext } from '../deps.ts'
import { inNotedTransaction } from '../inNotedTransaction.ts'
import { cancelDeletion } from '../organizations/deletion.ts'
import { assertNotDeleting, assertNotFrozen, findOrganization } from '../organizations/organization.ts'
import { findNewAddress, toProof } from './findSubject.ts'
import { askingKinds, findLink, type Link } from './links.ts'
import { readPrediction } from './readPrediction.ts'

const secretSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be the secret of a link')
export const readSchema = z.strictObject({ secret: secretSchema })
export const decideSchema = z.strictObject({
  secret: secretSchema,
  decision: z.enum(['accept', 'refuse', 'end-sessions']),
  targetPublicKey: uncompressedKeySchema.optional(),
  encryptedBundle: encryptedBundleSchema.optional(),
})

type Decision = z.output<typeof decideSchema>['decision']
/**
 * `isPassedOn`: the user has confirmed, and the owner of the new address must confirm next. `targetPublicKey`: key of
 * the page that shows an exported secret. `encryptedBundle`: secret that the user entered on the page.
 */
type Found = { link: Link; row: StoredActivity; isPassedOn: boolean } & Pick<
  z.output<typeof decideSchema>,
  'targetPublicKey' | 'encryptedBundle'
>

export declare namespace decideConfirmation {
  type Parameters = z.output<typeof decideSchema> & { requestId: string | undefined }
  type Context = CustodyContext & { find(type: string): ActivityDefinition | undefined }
}

/** Returns the subject of an e-mail's link, and whether the link is still open. Changes nothing. */
export function readConfirmation(
  context: CustodyContext,
  { secret }: z.output<typeof readSchema>,
): Promise<Confirmation> {
  return inTransaction(context.db, async (db) => {
    const found = await find(context, db, secret)
    const confirmation = toConfirmation(context, found)
    if (confirmation.state !== 'open' || found.link.kind !== 'confirm') return confirmation
    const predictable = await readPrediction({ ...context, db }, found)
    return { ...confirmation, ...(predictable && { predictable }) }
  })
}

/**
 * Applies the decision for a link's secret, once: executes the recorded activity, rejects it, or undoes the change that
 * the e-mail reports. After a refusal, the user may also end all sessions while the link is valid.
 *
 * @throws `CONFIRMATION_EXPIRED`, `NOT_FOUND`, `REQUEST_INVALID`.
 */
export function decideConfirmation(
  given: decideConfirmation.Context,
  { secret, decision, targetPublicKey, encryptedBundle, requestId }: decideConfirmation.Parameters,
): Promise<Confirmation> {
  return inNotedTransaction(given, requestId, async (db, context) => {
    const found = { ...(await find(context, db, secret)), targetPublicKey, encryptedBundle }
    const { link, row } = found
    assertOpen(context, found, decision)
    const decided = { ...link, decision, decided_at: new Date(context.now()) }
    await db
      .updateTable('confirmations')
      .set({ decision, decided_at: decided.decided_at })
      .where('id', '=', link.id)
      .execute()
    if (decision === 'end-sessions') await endAllSessions(context, db, link)
    else if (decision === 'refuse') await refuse(context, db, row)
    else await accept[link.kind](context, db, found)
    return toConfirmation(context, await find(context, db, secret))
  })
}

async function find(context: CustodyContext, db: Db, secret: string): Promise<Found> {
  const link = await findLink(context, db, secret)
  const stored = await db
    .selectFrom('activities')
    .selectAll()
    .where('id', '=', link.activity_id)
    .where('org_id', '=', link.org_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const proof =
    link.kind === 'confirm'
      ? await db
          .selectFrom('confirmations')
          .select('id')
          .where('activity_id', '=', link.activity_id)
          .where('kind', '=', 'prove')
          .limit(1)
          .executeTakeFirst()
      : undefined
  return { link, row: assertGenuineActivity(context, stored), isPassedOn: proof !== undefined }
}

function assertOpen(
  context: CustodyContext,
  { link, row, isPassedOn, targetPublicKey, encryptedBundle }: Found,
  decision: Decision,
): void {
  if (context.now() > link.expires_at.getTime())
    throw custodyError('CONFIRMATION_EXPIRED', 'This link has expired. If you still want this, start again in the app.')
  if (decision === 'end-sessions') {
    // A link to the user's own address may end all sessions. A link to a new address may not, since its owner may be a
    // stranger.
    if (link.kind === 'confirm' && row.status === 'ACTIVITY_STATUS_REJECTED') return
    throw custodyError('REQUEST_INVALID', 'Decline first; then you can sign out everywhere.')
  }
  const isAsking = askingKinds.includes(link.kind)
  const isOpen = link.decided_at === null && !isPassedOn && (!isAsking || confirmableUntil(row) !== null)
  if (!isOpen) throw custodyError('REQUEST_INVALID', 'This was decided already.')
  if (decision === 'accept' && link.details.reveals && targetPublicKey === undefined)
    throw custodyError('REQUEST_INVALID', 'Open the link from the email again: its page shows the secret.')
  if (decision === 'accept' && link.details.takes && encryptedBundle === undefined)
    throw custodyError('REQUEST_INVALID', 'Enter the secret on the page of the email. What the app sent is not used.')
  if (decision === 'refuse' && !isAsking)
    throw custodyError('REQUEST_INVALID', 'There is nothing to decline: leave it as it is.')
}

async function refuse(context: CustodyContext, db: Db, row: StoredActivity): Promise<void> {
  const refused = custodyError('CONFIRMATION_REFUSED', 'It was declined by email, so nothing was done.')
  await updateActivity(context, db, row, {
    status: 'ACTIVITY_STATUS_REJECTED',
    failure: { ...custodyErrorBody(refused) },
  })
  context.note({ event: 'confirmation_refused', ...toNote(row) })
}

async function endAllSessions(context: CustodyContext, db: Db, { org_id, user_id }: Link): Promise<void> {
  await endSessions(context, db, { orgId: org_id, userId: user_id })
  context.note({ event: 'sessions_revoked', organizationId: org_id, userId: user_id })
}

const accept: Record<Link['kind'], (context: decideConfirmation.Context, db: Db, found: Found) => Promise<unknown>> = {
  confirm: goOn,
  prove: goOn,
  /** Removes the new passkey and ends every session, since the person who added it had a session. */
  async undo(context, db, { link, row }) {
    const result = row.result as { createAuthenticatorsResult?: { authenticatorIds?: string[] } }
    const ids = result.createAuthenticatorsResult?.authenticatorIds ?? []
    await revokeCredentials(context, db, { orgId: link.org_id, userId: link.user_id, ids })
    context.note({ event: 'credential_removed', ...toNote(row) })
    await endAllSessions(context, db, link)
  },
  async keep(context, db, { link, row }) {
    await cancelDeletion(context, db, { orgId: link.org_id })
    context.note({ event: 'deletion_cancelled', ...toNote(row) })
  },
}

/** Executes the confirmed request. If it sets a new address, first asks the owner of that address. */
async function goOn(context: decideConfirmation.Context, db: Db, found: Found): Promise<void> {
  const { link, row } = found
  const definition = context.find(row.type)
  if (!definition) throw custodyError('REQUEST_INVALID', 'This server no longer knows what was asked for.')
  context.note({ event: 'confirmation_given', ...toNote(row) })
  const isAgreed = link.kind === 'prove'
  await settle(context, db, {
    row,
    async run() {
      const organization = await findOrganization({ ...context, db }, row.org_id)
      assertNotFrozen(organization)
      assertNotDeleting(organization)
      const waiting: Waiting = { row, organization, definition }
      const recorded = await readRecorded(context, db, waiting)
      const execution = { ...recorded, db, activityId: row.id, asker: null }
      const newAddress = isAgreed ? undefined : await findNewAddress(context, definition, execution)
      if (newAddress === undefined) {
        const isRevealed = link.details.reveals !== undefined
        const parameters = { ...(recorded.parameters as object), ...fromPage(found) }
        return completeActivity(context, db, { ...recorded, parameters, isConfirmed: true, isAgreed, isRevealed })
      }
      const { app, requestedFrom } = link.details
      const shown = { app, ...(requestedFrom !== undefined && { requestedFrom }) }
      return ask(context, db, { row, definition, execution, asked: toProof(newAddress), requester: {}, shown })
    },
  })
}

/** Returns what the page of the email gives in place of the request's, which a script in the app's page may have chosen. */
function fromPage({ link: { details }, targetPublicKey, encryptedBundle }: Found): object {
  return { ...(details.reveals && { targetPublicKey }), ...(details.takes && { encryptedBundle }) }
}

function toConfirmation(context: CustodyContext, found: Found): Confirmation {
  const { link, row } = found
  const failure = (row.failure as CustodyErrorBody | null)?.message
  const state = readState(context, found)
  const { exportBundle } = splitRevealed(row.result)
  return {
    ...link.details,
    kind: link.kind,
    state,
    organizationId: link.org_id,
    expiresAtMs: link.expires_at.getTime(),
    ...(exportBundle !== undefined && { exportBundle }),
    ...(state === 'failed' && failure !== undefined && { failure }),
  }
}

function readState({ now }: CustodyContext, { link, row, isPassedOn }: Found): Confirmation['state'] {
  const isOver = now() > link.expires_at.getTime()
  if (!askingKinds.includes(link.kind)) {
    if (link.decision === 'accept') return 'confirmed'
    return link.decided_at !== null || isOver ? 'expired' : 'open'
  }
  // A link of an activity also shows a decision made through its other links.
  if (row.status === 'ACTIVITY_STATUS_REJECTED') return 'refused'
  if (row.status === 'ACTIVITY_STATUS_COMPLETED') return 'confirmed'
  if (row.status === 'ACTIVITY_STATUS_FAILED') return link.decided_at === null && isOver ? 'expired' : 'failed'
  if (isOver) return 'expired'
  return isPassedOn || link.decided_at !== null ? 'passed-on' : 'open'
}
