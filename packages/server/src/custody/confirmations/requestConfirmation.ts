import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sql } from 'kysely'
import { formatKeyFingerprint } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { describeBrowser } from '../../platform/http/describeBrowser.ts'
import type { StoredActivity } from '../activities/storedActivity.ts'
import type { Caller } from '../credentials/findCaller.ts'
import { confirmationMs } from '../custodyLimits.ts'
import type { ActivityDefinition, ActivityExecution, ConfirmationSubject } from '../definitions.ts'
import type { CustodyContext } from '../deps.ts'
import { readBrand } from '../enqueueMail.ts'
import { hidesAccounts, trustedProjects } from '../organizations/trustedProjects.ts'
import { readAccounts } from '../wallets/accounts.ts'
import { createImportBundle } from '../wallets/createImportBundle.ts'
import { type Asked, findNewAddress } from './findSubject.ts'
import type { LinkDetails } from './links.ts'
import { mailLink } from './mailLink.ts'

/** Unverified headers that describe the requesting browser. */
export type Requester = { userAgent?: string | undefined; origin?: string | undefined }

export declare namespace requestConfirmation {
  type Parameters = {
    row: StoredActivity
    definition: ActivityDefinition
    execution: ActivityExecution<unknown>
    asked: Asked
    requester: Requester
    /** Details from the user's own e-mail, repeated in the e-mail to a new address. */
    shown?: Pick<LinkDetails, 'app' | 'requestedFrom'> | undefined
  }
}

/**
 * E-mails the confirmation link of an activity to the user or to the new address. The activity waits until it is
 * confirmed. A request without the secret that it imports cannot be rehearsed.
 */
export async function requestConfirmation(
  context: CustodyContext,
  db: Db,
  { row, definition, execution, asked, requester, shown }: requestConfirmation.Parameters,
): Promise<void> {
  const { caller, organization } = execution
  if (!asked.subject.takes) await rehearse(context, db, { definition, execution })
  const details = await describe(context, db, { execution, asked, requester })
  await mailLink(context, db, {
    kind: asked.kind,
    activityId: row.id,
    orgId: organization.id,
    userId: caller.userId,
    rootOrgId: caller.rootOrgId,
    details: { ...details, ...shown },
    expiresAt: new Date(row.updated_at.getTime() + confirmationMs),
  })
}

/** Executes an activity and rolls it back, so that an invalid request is refused before it asks anybody. */
async function rehearse(
  context: CustodyContext,
  db: Db,
  { definition, execution }: Pick<requestConfirmation.Parameters, 'definition' | 'execution'>,
): Promise<void> {
  await sql`savepoint rehearsed`.execute(db)
  const isAgreed = (await findNewAddress(context, definition, execution)) !== undefined
  try {
    await definition.execute({ ...context, note: () => undefined }, { ...execution, isAgreed })
  } catch (error) {
    // Only the owner of an address may learn, by e-mail, that the address has an account.
    const isTaken = isAgreed && error instanceof ServerError && error.code === 'INVALID_EMAIL'
    if (!isTaken || !hidesAccounts(context, execution.caller.rootOrgId)) throw error
  }
  await sql`rollback to savepoint rehearsed`.execute(db)
}

/**
 * Returns the facts that e-mail and confirmation page show: the request's own facts, and the browser's unverified
 * description.
 */
async function describe(
  context: CustodyContext,
  db: Db,
  { execution, asked, requester }: Pick<requestConfirmation.Parameters, 'execution' | 'asked' | 'requester'>,
): Promise<LinkDetails> {
  const { caller, organization } = execution
  const { kind, subject, to } = asked
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
    ...(subject.reveals && { reveals: subject.reveals }),
    ...(subject.takes && {
      takes: subject.takes,
      importBundle: await createImportBundle(context, db, {
        orgId: organization.id,
        userId: caller.userId,
        kind: subject.takes === 'phrase' ? 'wallet' : 'private_key',
      }),
    }),
    ...(subject.acts && { acts: subject.acts }),
    ...(subject.intentHash && { intentHash: subject.intentHash }),
    ...(kind === 'prove' && { openedBy: await listSignInMethods(context, db, { orgId: organization.id, caller }) }),
  }
}

/** Sign-in methods listed by name; the rest are counted. */
const maxNamed = 5

/** Returns the account's existing sign-in methods, so that the owner of a new address sees who else can sign in. */
async function listSignInMethods(
  { now }: CustodyContext,
  db: Db,
  { orgId, caller }: { orgId: string; caller: Caller },
): Promise<string> {
  const keys = await db
    .selectFrom('credentials')
    .select(['kind', 'name', 'created_at'])
    .where('org_id', '=', orgId)
    .where('email_session', '=', false)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', new Date(now()))]))
    .orderBy('created_at')
    .execute()
  const users = await db
    .selectFrom('users')
    .select('name')
    .where('org_id', '=', orgId)
    .where('id', '!=', caller.userId)
    .execute()
  const all = [
    ...users.map(({ name }) => `another user${quote(name)}`),
    ...keys.map(
      ({ kind, name, created_at }) =>
        `${kind === 'passkey' ? 'a passkey' : 'a key'} added on ${formatDay(created_at)}${quote(name)}`,
    ),
  ]
  const rest = all.length - maxNamed
  const named = all.slice(0, maxNamed)
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ') || 'the session that asked for this'
}

const formatDay = (at: Date) => at.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** Quotes a name, or returns an empty string for a generated one. */
function quote(name: string): string {
  const shown = cleanText(name).slice(0, 60)
  return /^(|passkey-\d+)$/.test(shown) ? '' : ` (“${shown}”)`
}

function describeKeys({ publicKeys = [] }: ConfirmationSubject): string {
  return publicKeys.map(describeKey).join(', ')
}

function describeKey({ hex, isSecp256k1 = false }: { hex: string; isSecp256k1?: boolean }): string {
  const point = (isSecp256k1 ? secp256k1 : p256).Point.fromHex(hex).toBytes(false)
  return formatKeyFingerprint(createHash('sha256').update(point).digest())
}

/** Cleans a requested name: removes control and bidirectional characters, and truncates it. */
export function cleanText(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]/gu, '').slice(0, 200)
}
