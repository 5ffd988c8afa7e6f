import type { Selectable } from 'kysely'
import type { GivenMultiFactor, MultiFactorsDetail } from 'latchkey-protocol'
import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import type { UserTable } from '../../platform/database/organizationTables.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { type Limit, tooManyRequests } from '../../platform/limits/rateLimit.ts'
import { custodyStatuses } from '../custodyError.ts'
import { factorTries } from '../custodyLimits.ts'
import { idSchema } from '../custodySchemas.ts'
import { returnCustodyToken, takeCustodyToken } from '../custodyTokens.ts'
import type { CustodyContext } from '../deps.ts'
import { enqueueNotice } from '../enqueueMail.ts'
import {
  type FactorRow,
  lockUser,
  selectFactors,
  toFactor,
  withFactorSecret,
  writeFactor,
  wrongFactorCode,
} from './multiFactors.ts'
import { hashRecoveryCode } from './recoveryCodes.ts'
import { findStep } from './totp.ts'

/** A code of the authenticator app or a recovery code, with the factor that it belongs to. */
export const factorCodeSchema = z.string().min(1).max(64)
export const givenFactorsSchema = z
  .array(z.strictObject({ multiFactorId: idSchema, multiFactorCode: factorCodeSchema }))
  .max(1)
  .optional()

type Given = readonly GivenMultiFactor[] | undefined
/** `mailbox`: the request proves its mailbox or identity; `anyone`: whoever knows the address may send it. */
type Proof = 'mailbox' | 'anyone'
type Tried = { given: Given; proof: Proof }

/**
 * Counts a try of a factor before any comparison, outside the transaction that a wrong code rolls back. Tries of anyone
 * have limits of their own, so that they lock nobody out.
 *
 * @throws `RATE_LIMIT_EXCEEDED`.
 */
export async function countFactorTry({ db }: Pick<CustodyContext, 'db'>, { given, proof }: Tried): Promise<void> {
  for (const token of given?.flatMap((one) => listTokens(one, proof)) ?? []) {
    const taken = await takeCustodyToken(db, token)
    if (!taken.ok) throw tooManyRequests('custody.factorTries', taken.retryAfterMs, 'Too many wrong codes')
  }
}

/** Returns the try of a right code, which is no guess. */
export async function returnFactorTry(db: Db, { given, proof }: Tried): Promise<void> {
  for (const token of given?.flatMap((one) => listTokens(one, proof)) ?? []) await returnCustodyToken(db, token)
}

/** A user has one active factor, so its limits are those of the user. */
function listTokens({ multiFactorId }: { multiFactorId: string }, proof: Proof): ({ key: string } & Limit)[] {
  return factorTries.map((limit) => ({ key: `factor ${proof} ${limit.windowMs} ${multiFactorId}`, ...limit }))
}

export declare namespace requireFactor {
  type Parameters = Tried & { orgId: string; userId: string; activityId: string }
}

/**
 * Checks the second factor of a user who signs in. Returns whether the user has one. A code is accepted once, in the
 * transaction of `db`.
 *
 * @throws `MFA_INVALID`; `MFA_REQUIRED` if no code was given.
 */
export async function requireFactor(
  context: CustodyContext,
  db: Db,
  { orgId, userId, activityId, ...tried }: requireFactor.Parameters,
): Promise<boolean> {
  const user = await lockUser(context, db, { orgId, userId })
  if (user.factor_since === null) return false
  const active = await selectActive(context, db, user)
  const [given] = tried.given ?? []
  if (!given) throw factorRequired(active)
  const row = active.find(({ id }) => id === given.multiFactorId)
  if (!row) throw wrongFactorCode()
  const used = await useCode(context, row, given.multiFactorCode)
  if (!used) throw wrongFactorCode()
  await writeFactor(context, db, { ...row, ...used })
  if ('recovery_codes' in used)
    await enqueueNotice(context, db, { kind: 'recovery-code-used', organizationId: orgId, userId, activityId })
  await returnFactorTry(db, tried)
  return true
}

/** Returns the user's active factors. Without any, the rows were deleted in the database, and no code is right. */
async function selectActive(
  context: CustodyContext,
  db: Db,
  { id: userId, org_id: orgId }: Pick<Selectable<UserTable>, 'id' | 'org_id'>,
): Promise<FactorRow[]> {
  return (await selectFactors(context, db, { orgId, userId })).filter(({ activated_at }) => activated_at !== null)
}

function useCode(
  context: CustodyContext,
  row: FactorRow,
  given: string,
): Promise<Pick<FactorRow, 'last_step'> | Pick<FactorRow, 'recovery_codes'> | undefined> {
  const code = given.replace(/\s/g, '')
  return withFactorSecret(context, row, (secret) => {
    if (/^\d{6}$/.test(code)) {
      const step = findStep({ secret, code, atMs: context.now(), tolerance: 1 })
      return step === undefined || step <= (row.last_step ?? 0) ? undefined : { last_step: step }
    }
    const hash = hashRecoveryCode(secret, code)
    const left = row.recovery_codes.filter((each) => each !== hash)
    return left.length < row.recovery_codes.length ? { recovery_codes: left } : undefined
  })
}

function factorRequired(rows: readonly FactorRow[]): ServerError {
  const multiFactors = rows
    .map(toFactor)
    .map(({ multiFactorId, multiFactorType }) => ({ multiFactorId, multiFactorType }))
  return new ServerError('This account has a second factor. Type the code of the authenticator app.', {
    code: 'MFA_REQUIRED',
    status: custodyStatuses.MFA_REQUIRED,
    details: [{ multiFactors } satisfies MultiFactorsDetail],
  })
}
