import { sql } from 'kysely'
import type { IntentAct, Spending, SpendingRules } from 'latchkey-protocol'
import { formatEther } from 'viem'
import type { Db } from '../../../platform/database/openStore.ts'
import { custodyError } from '../../custodyError.ts'
import { spendingWindowMs } from '../../custodyLimits.ts'
import type { Spend } from './listSpends.ts'

/**
 * Spending rules of a project, a user or an API key. `byCredential`: limits count only what this API key signed.
 * `contracts`: contracts whose calls are not reviewed.
 */
export type AppliedRules = SpendingRules & {
  byCredential?: string | undefined
  contracts?: readonly string[] | undefined
}

/** An act that the user must review. `reason` is shown if the act alone does not explain the review. */
export type Review = { act: IntentAct; reason?: string | undefined }

/** Returns the acts that rules submit to review regardless of earlier spending. */
export function reviewByRules(
  rules: readonly AppliedRules[],
  acts: readonly IntentAct[],
  spends: readonly Spend[],
): Review[] {
  return rules.flatMap(({ limits, unlisted, recipients, contracts }) => [
    ...(recipients === null ? [] : acts.filter((act) => !goesTo(recipients, act)).map(toReviewed(reasons.recipient))),
    ...(unlisted === 'allow'
      ? []
      : acts.filter((act) => !isBounded({ limits, contracts }, act, spends)).map(toReviewed(reasons.unlisted))),
    // A permit without a chain id is valid on every chain.
    ...spends.flatMap(({ act, chainId, token }) =>
      act && chainId === undefined && limits.some((limit) => isToken(limit, token))
        ? [{ act, reason: reasons.anyChain }]
        : [],
    ),
  ])
}

const reasons = {
  recipient: 'The recipient is not in your address book',
  unlisted: 'Your limits do not cover it',
  anyChain: 'It holds on every chain',
} as const

const toReviewed = (reason: string) => (act: IntentAct) => ({ act, reason })

/** Returns whether an act sends or approves to known addresses only; other acts have no recipient. */
function goesTo(recipients: readonly string[], act: IntentAct): boolean {
  const isPlain = act.kind === 'transfer'
  if (!isPlain && act.kind !== 'token-transfer' && act.kind !== 'approval') return true
  const recipient = isPlain ? act.to : (act.spender ?? act.recipient)
  return recipients.some((known) => known.toLowerCase() === recipient)
}

/**
 * Returns whether limits apply to everything that an act can take. Messages take nothing, and calls of known contracts
 * are trusted.
 */
function isBounded(
  { limits, contracts = [] }: Pick<AppliedRules, 'limits' | 'contracts'>,
  act: IntentAct,
  spends: readonly Spend[],
): boolean {
  if (act.kind === 'message') return true
  const own = spends.filter((spend) => spend.act === act)
  const isLimited = own.every((spend) => limits.some((limit) => isOf(limit, spend)))
  if (act.kind === 'call') return isLimited && contracts.some((contract) => contract.toLowerCase() === act.to)
  if (act.kind !== 'transfer' && act.kind !== 'token-transfer' && act.kind !== 'approval') return false
  return isLimited && (own.length > 0 || (act.kind === 'transfer' && (act.value ?? '0') === '0'))
}

type Limit = SpendingRules['limits'][number]
const isToken = (limit: Limit, token: string) => limit.token.toLowerCase() === token
const isOf = (limit: Limit, { chainId, token }: Spend) => limit.chainId === chainId && isToken(limit, token)

/** Returns the spends that count toward a limit. */
export function listCounted(rules: readonly AppliedRules[], spends: readonly Spend[]): Spend[] {
  return spends.filter((spend) => rules.some(({ limits }) => limits.some((limit) => isOf(limit, spend))))
}

export declare namespace reviewByLimits {
  type Parameters = { orgId: string; at: Date; rules: readonly AppliedRules[]; spends: readonly Spend[] }
}

/**
 * Returns the acts that exceed a limit when added to the spending of the last 24 hours. Locks the account until the
 * transaction ends, so that two concurrent requests cannot use the same allowance.
 *
 * @throws `REQUEST_NOT_AUTHORIZED` if the fee of an operation without calls exceeds a limit.
 */
export async function reviewByLimits(
  db: Db,
  { orgId, at, rules, spends }: reviewByLimits.Parameters,
): Promise<Review[]> {
  const counted = listCounted(rules, spends)
  if (counted.length === 0) return []
  // Unlike `for update`, this lock does not wait for activities that reference the organization, which would deadlock.
  await db.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate().execute()
  const all = await readSpending(db, { orgId, at })
  const key = rules.find(({ byCredential }) => byCredential !== undefined)?.byCredential
  const ofKey = key === undefined ? [] : await readSpending(db, { orgId, at, credentialId: key })
  return rules.flatMap(({ limits, byCredential }) =>
    limits.flatMap((limit) => {
      const spent = byCredential === undefined ? all : ofKey
      const own = counted.filter((spend) => isOf(limit, spend))
      const before = spent.find(({ chainId, token }) => chainId === limit.chainId && isToken(limit, token))
      const total = own.reduce((sum, { amount }) => sum + amount, BigInt(before?.spent ?? '0'))
      if (own.length === 0 || total <= BigInt(limit.perDay)) return []
      return own.map(({ act }) => ({
        act: act ?? refuseFee(limit),
        reason: `Above your limit of ${formatLimit(limit)}`,
      }))
    }),
  )
}

function refuseFee(limit: Limit): never {
  throw custodyError(
    'REQUEST_NOT_AUTHORIZED',
    `The network fee of this operation exceeds the limit of ${formatLimit(limit)}. Lower the fee, have it sponsored, or change the limit.`,
  )
}

/** Returns a limit in words. Custody knows neither symbols nor decimals of tokens. */
export function formatLimit({ token, perDay }: Limit): string {
  return token === 'native' ? `${formatEther(BigInt(perDay))} a day` : `${perDay} (smallest unit) a day`
}

/** Returns the amounts that an account, or one of its credentials, spent in the last 24 hours. */
export async function readSpending(
  db: Db,
  { orgId, at, credentialId }: { orgId: string; at: Date; credentialId?: string | undefined },
): Promise<Spending[]> {
  const rows = await db
    .selectFrom('signing_spend')
    .select(['chain_id', 'token', sql<string>`sum(amount)::text`.as('spent')])
    .where('org_id', '=', orgId)
    .where('spent_at', '>', new Date(at.getTime() - spendingWindowMs))
    .$if(credentialId !== undefined, (query) => query.where('credential_id', '=', credentialId ?? ''))
    .groupBy(['chain_id', 'token'])
    .execute()
  return rows.map(({ chain_id, token, spent }) => ({
    chainId: Number(chain_id),
    token: token as Spending['token'],
    spent,
  }))
}

export async function recordSpends(
  db: Db,
  { orgId, credentialId, at, spends }: { orgId: string; credentialId: string; at: Date; spends: readonly Spend[] },
): Promise<void> {
  if (spends.length === 0) return
  await db
    .insertInto('signing_spend')
    .values(
      spends.map(({ chainId, token, amount }) => ({
        org_id: orgId,
        credential_id: credentialId,
        chain_id: chainId ?? 0,
        token,
        amount: String(amount),
        spent_at: at,
      })),
    )
    .execute()
}
