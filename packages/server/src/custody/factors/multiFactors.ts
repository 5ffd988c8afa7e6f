import { randomBytes, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { MultiFactor } from 'latchkey-protocol'
import type { MultiFactorTable } from '../../platform/database/multiFactorTable.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { UserTable } from '../../platform/database/organizationTables.ts'
import { revokeUnusedMails } from '../credentials/mailCodes.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { readBrand } from '../enqueueMail.ts'
import { isTrusted, mac } from '../macs.ts'
import { findUser } from '../organizations/user.ts'
import { sealSecret, withSecret } from '../wallets/sealSecret.ts'
import { createRecoveryCodes } from './recoveryCodes.ts'
import { findStep, totpUrl } from './totp.ts'

export type FactorRow = Selectable<MultiFactorTable>
type Owner = { orgId: string; userId: string }

const version = 1
/** Size that RFC 4226 § 4 recommends: that of an HMAC-SHA-1 digest. */
const secretBytes = 20
/** The request may be recorded in the step after the one in which its code was checked. */
const recordedTolerance = 2

/** Returns the active factors of a user, at most one, without their secrets. */
export async function listFactors(context: CustodyContext, db: Db, owner: Owner): Promise<MultiFactor[]> {
  return (await selectFactors(context, db, owner)).filter(({ activated_at }) => activated_at !== null).map(toFactor)
}

export const toFactor = ({ id, recovery_codes }: FactorRow): MultiFactor => ({
  multiFactorId: id,
  multiFactorType: 'totp',
  recoveryCodesLeft: recovery_codes.length,
})

export async function selectFactors(
  context: CustodyContext,
  db: Db,
  { orgId, userId }: Owner,
): Promise<readonly FactorRow[]> {
  const rows = await db
    .selectFrom('multi_factors')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
  return rows.filter((row) => isTrusted(context, 'multi_factors', row))
}

/** Locks a user, so that concurrent requests neither accept a code twice nor add two factors. */
export async function lockUser(
  context: CustodyContext,
  db: Db,
  { orgId, userId }: Owner,
): Promise<Selectable<UserTable>> {
  await db.selectFrom('users').select('id').where('id', '=', userId).where('org_id', '=', orgId).forUpdate().execute()
  return findUser(context, db, { orgId, userId })
}

/**
 * Adds a factor that is inactive until {@link activateFactor}, and returns its secret as the URL of authenticator apps.
 * Deletes earlier inactive ones.
 *
 * @throws `CREDENTIAL_CONFLICT` if the user has an active factor.
 */
export async function addFactor(
  context: CustodyContext,
  db: Db,
  { rootOrgId, ...owner }: Owner & { rootOrgId: string },
): Promise<{ multiFactorId: string; multiFactorType: 'totp'; multiFactorTotpUrl: string }> {
  const { orgId, userId } = owner
  const user = await lockUser(context, db, owner)
  assertNoFactor(user)
  await db.deleteFrom('multi_factors').where('org_id', '=', orgId).where('user_id', '=', userId).execute()
  const id = randomUUID()
  const secret = randomBytes(secretBytes)
  try {
    const identity = { table: 'multi_factors', orgId, id, version } as const
    const { sealed, wrappedKey } = await sealSecret(context.keyEncryption, identity, secret)
    const row = { id, user_id: userId, org_id: orgId, last_step: null, recovery_codes: [], activated_at: null }
    await db
      .insertInto('multi_factors')
      .values({
        ...row,
        sealed_key: sealed,
        wrapped_key: wrappedKey,
        key_version: version,
        created_at: new Date(context.now()),
        mac: mac(context.macKey, 'multi_factors', row),
      })
      .execute()
    const account = user.email ?? user.name
    const url = totpUrl({ secret, issuer: readBrand(context, rootOrgId).appName, account })
    return { multiFactorId: id, multiFactorType: 'totp', multiFactorTotpUrl: url }
  } finally {
    secret.fill(0)
  }
}

export declare namespace activateFactor {
  type Parameters = Owner & {
    multiFactorId: string
    code: string
    /** Time of the request. Its confirmation may come after the code has expired. */
    at: Date
  }
}

/**
 * Activates a factor and returns its recovery codes, which are not stored. From now on, sign-ins by email, code and
 * identity provider need it. Revokes the user's unused sign-in emails, whose links would not ask for it.
 *
 * @throws `CREDENTIAL_CONFLICT`, `MFA_INVALID`, `NOT_FOUND`.
 */
export async function activateFactor(
  context: CustodyContext,
  db: Db,
  { multiFactorId, code, at, ...owner }: activateFactor.Parameters,
): Promise<{ multiFactors: MultiFactor[]; recoveryCodes: string[] }> {
  const user = await lockUser(context, db, owner)
  assertNoFactor(user)
  const row = await findInactive(context, db, { ...owner, multiFactorId })
  const { last_step, recovery } = await withFactorSecret(context, row, (secret) => {
    const step = findStep({ secret, code, atMs: at.getTime(), tolerance: recordedTolerance })
    if (step === undefined) throw wrongFactorCode()
    return { last_step: step, recovery: createRecoveryCodes(secret) }
  })
  const activated = { ...row, last_step, activated_at: new Date(context.now()), recovery_codes: recovery.hashes }
  await writeFactor(context, db, activated)
  await writeFactorSince(context, db, user, activated.activated_at)
  await revokeUnusedMails(context, db, owner)
  return { multiFactors: [toFactor(activated)], recoveryCodes: recovery.codes }
}

/** Checks the code of an inactive factor before its activation is recorded. */
export async function checkInactive(
  context: CustodyContext,
  { code, ...parameters }: Omit<activateFactor.Parameters, 'at'>,
): Promise<void> {
  const row = await findInactive(context, context.db, parameters)
  const step = await withFactorSecret(context, row, (secret) =>
    findStep({ secret, code, atMs: context.now(), tolerance: 1 }),
  )
  if (step === undefined) throw wrongFactorCode()
}

async function findInactive(
  context: CustodyContext,
  db: Db,
  { multiFactorId, ...owner }: Owner & { multiFactorId: string },
): Promise<FactorRow> {
  const rows = await selectFactors(context, db, owner)
  const row = rows.find(({ id, activated_at }) => id === multiFactorId && activated_at === null)
  if (row) return row
  throw custodyError('NOT_FOUND', 'There is no second factor with this id to set up. Start again.')
}

/**
 * Deletes factors of a user. Returns those that remain.
 *
 * @throws `NOT_FOUND`.
 */
export async function deleteFactors(
  context: CustodyContext,
  db: Db,
  { ids, ...owner }: Owner & { ids: readonly string[] },
): Promise<MultiFactor[]> {
  const user = await lockUser(context, db, owner)
  const rows = await selectFactors(context, db, owner)
  const missing = ids.find((id) => !rows.some((row) => row.id === id))
  if (missing !== undefined) throw custodyError('NOT_FOUND', `The user has no second factor with the id ${missing}.`)
  await db
    .deleteFrom('multi_factors')
    .where('org_id', '=', owner.orgId)
    .where('user_id', '=', owner.userId)
    .where('id', 'in', ids)
    .execute()
  const left = rows.filter(({ id, activated_at }) => !ids.includes(id) && activated_at !== null)
  if (left.length === 0) await writeFactorSince(context, db, user, null)
  return left.map(toFactor)
}

export function withFactorSecret<result>(
  { keyEncryption }: Pick<CustodyContext, 'keyEncryption'>,
  { id, org_id: orgId, key_version, sealed_key: sealed, wrapped_key: wrappedKey }: FactorRow,
  use: (secret: Uint8Array) => result,
): Promise<result> {
  const identity = { table: 'multi_factors', orgId, id, version: key_version } as const
  return withSecret(keyEncryption, identity, { sealed, wrappedKey }, use)
}

/** Writes what changes of a factor under custody's MAC. The caller has locked the user and checked the row. */
export async function writeFactor({ macKey }: CustodyContext, db: Db, row: FactorRow): Promise<void> {
  const { last_step, recovery_codes, activated_at } = row
  await db
    .updateTable('multi_factors')
    .set({ last_step, recovery_codes, activated_at, mac: mac(macKey, 'multi_factors', row) })
    .where('id', '=', row.id)
    .where('org_id', '=', row.org_id)
    .execute()
}

async function writeFactorSince(
  { macKey }: CustodyContext,
  db: Db,
  user: Selectable<UserTable>,
  factor_since: Date | null,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ factor_since, mac: mac(macKey, 'users', { ...user, factor_since }) })
    .where('id', '=', user.id)
    .where('org_id', '=', user.org_id)
    .execute()
}

function assertNoFactor({ factor_since }: Pick<Selectable<UserTable>, 'factor_since'>): void {
  if (factor_since === null) return
  throw custodyError('CREDENTIAL_CONFLICT', 'The user has a second factor already. Remove it first.')
}

/** Published dialogs look for the start of this text. */
export const wrongFactorCode = () =>
  custodyError(
    'MFA_INVALID',
    'Invalid MFA code. Type the code that your authenticator app shows now, or a recovery code. Each works once.',
  )
