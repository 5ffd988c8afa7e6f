import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sql } from 'kysely'
import { formatKeyFingerprint } from 'latchkey/wire'
import { describeBrowser } from '../../http/describeBrowser.ts'
import { tooManyRequests } from '../../http/rateLimit.ts'
import type { Db } from '../../store/openStore.ts'
import type { StoredActivity } from '../activities/storedActivity.ts'
import type { ActivityDefinition, ActivityExecution, ConfirmationSubject } from '../definitions.ts'
import type { CustodyContext } from '../deps.ts'
import { confirmationMs, confirmationsPerUser } from '../limits.ts'
import { enqueueMail, readBrand } from '../mails.ts'
import { trustedProjects } from '../organizations/trustedProjects.ts'
import { readAccounts } from '../wallets/accounts.ts'
import type { Asked } from './findSubject.ts'
import { addLink, type LinkDetails } from './links.ts'

/** What a browser says of itself: shown as the requester's word. */
export type Requester = { userAgent?: string | undefined; origin?: string | undefined }

export declare namespace askPerson {
  type Parameters = {
    row: StoredActivity
    definition: ActivityDefinition
    execution: ActivityExecution<unknown>
    asked: Asked
    requester: Requester
  }
}

/**
 * Mails the person the link that confirms an activity, which waits until then. It is done once and taken back first, so
 * that a request that would fail is refused at once and asks for no confirmation.
 */
export async function askPerson(
  context: CustodyContext,
  db: Db,
  { row, definition, execution, asked, requester }: askPerson.Parameters,
): Promise<void> {
  const { caller, organization } = execution
  await limitMails(context, db, caller.userId)
  await sql`savepoint rehearsed`.execute(db)
  await definition.execute({ ...context, note: () => undefined }, execution)
  await sql`rollback to savepoint rehearsed`.execute(db)
  const details = await describe(context, db, { execution, asked, requester })
  const expiresAt = new Date(row.updated_at.getTime() + confirmationMs)
  const identity = { activityId: row.id, orgId: organization.id, userId: caller.userId }
  const link = await addLink(context, db, { ...identity, kind: 'confirm', details, expiresAt })
  await enqueueMail(context, db, {
    ...identity,
    expiresAt,
    payload: {
      to: asked.to,
      ...readBrand(context, caller.rootOrgId),
      content: { kind: 'confirm', link, ...details, expiresAtMs: expiresAt.getTime() },
    },
  })
}

/** Counted in the transaction: a token from the pool would need a second connection while this one is held. */
async function limitMails({ now }: CustodyContext, db: Db, userId: string): Promise<void> {
  const { limit, windowMs } = confirmationsPerUser
  const sent = await db
    .selectFrom('confirmations')
    .select('created_at')
    .where('user_id', '=', userId)
    .where('kind', '=', 'confirm')
    .where('created_at', '>', new Date(now() - windowMs))
    .orderBy('created_at')
    .limit(limit)
    .execute()
  const [first] = sent
  if (!first || sent.length < limit) return
  throw tooManyRequests(first.created_at.getTime() + windowMs - now(), 'Too many mails to confirm something were sent')
}

/** What mail and page show: the request's own facts, and what its browser says of itself. */
async function describe(
  context: CustodyContext,
  db: Db,
  { execution, asked: { subject, to }, requester }: Pick<askPerson.Parameters, 'execution' | 'asked' | 'requester'>,
): Promise<LinkDetails> {
  const { caller, organization } = execution
  const [account] =
    subject.address === undefined ? await readAccounts({ ...context, db }, { orgId: organization.id, limit: 1 }) : []
  const projects = trustedProjects(context, caller.rootOrgId)
  const named = projects.find(({ allowedOrigins }) => allowedOrigins.includes(requester.origin ?? ''))
  const requestedFrom = describeBrowser(requester.userAgent)
  const address = subject.address ?? account?.address
  const keyFingerprint = describeKeys(subject)
  return {
    action: subject.action,
    app: named?.name ?? readBrand(context, caller.rootOrgId).appName,
    email: to,
    requestedAtMs: caller.at.getTime(),
    ...(address !== undefined && { address }),
    ...(subject.detail && { detail: cleanText(subject.detail) }),
    ...(requestedFrom && { requestedFrom }),
    ...(keyFingerprint && { keyFingerprint }),
  }
}

/** Every key, since one behind another must not be hidden. */
function describeKeys({ publicKeys = [] }: ConfirmationSubject): string {
  return publicKeys.map(describeKey).join(', ')
}

function describeKey({ hex, isSecp256k1 = false }: { hex: string; isSecp256k1?: boolean }): string {
  const point = (isSecp256k1 ? secp256k1 : p256).Point.fromHex(hex).toBytes(false)
  return formatKeyFingerprint(createHash('sha256').update(point).digest())
}

/** Names are the request's: without control and direction characters, and short. */
export function cleanText(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, '').slice(0, 200)
}
