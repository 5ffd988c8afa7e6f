import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { max, min } from '../../platform/bigints.ts'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { findPolicy, toPolicy } from './policies.ts'
import type { PolicyRules } from './policyRules.ts'
import { type Position, readPosition } from './readPosition.ts'

export declare namespace reserve {
  type Parameters = {
    projectId: string
    policyId: string
    /** The caller's API key, and its IP address if known; the open reservations of each are limited. */
    caller: { key: string; ip?: string | undefined }
    chainId: number
    entryPoint: string
    paymaster: string
    sender: string
    nonce: bigint
    /** Maximum wei the paymaster pays. */
    maxCost: bigint
    /** Priority fee to be signed; see {@link findPriorTip}. @default unknown */
    tip?: { wei: bigint; raises: number; pricedAt: Date | undefined } | undefined
    validUntil: Date
    /**
     * The paymaster's deposit at the entry point, in wei, at the end of block `blockNumber`. Undefined if an upstream
     * service maintains the deposit.
     */
    deposit: { wei: bigint; blockNumber: bigint } | undefined
  }
  /** `id`: id of the signature, for {@link recordSignature}. */
  type ReturnType = { ok: true; id: string } | ({ ok: false } & Refusal)
  type Refusal =
    | { rule: 'deposit'; available: bigint }
    | { rule: Exclude<LedgerRule, 'deposit'>; limit?: string | undefined }
}

/** Rules by which the ledger refuses, in the order in which they are checked. */
export type LedgerRule =
  | 'policy'
  | 'paused'
  | 'nonce'
  | 'open.signatures'
  | 'open.sender'
  | 'open.ip'
  | 'open.key'
  | 'open.cost'
  | 'limits.operation.cost'
  | `limits.${'sender' | 'policy'}.${'day' | 'total'}.${'count' | 'cost'}`
  | `limits.${'ip' | 'key'}.day.${'count' | 'cost'}`
  | 'deposit'

/**
 * Reserves the highest cost of an operation before it is signed, if the limits of its policy and the paymaster's
 * deposit allow it. Atomic across replicas: reservations of the same paymaster or policy are serialized.
 *
 * A second signature for the same nonce raises the reservation to the higher cost instead of adding to it, since only
 * one of the two operations can be included.
 */
export async function reserve(db: Db, request: reserve.Parameters): Promise<reserve.ReturnType> {
  const lower = toLower(request)
  return inTransaction(db, async (trx) => {
    const ledger = `latchkey.paymaster:${lower.chainId}:${lower.entryPoint}:${lower.paymaster}`
    await sql`select pg_advisory_xact_lock(hashtextextended(${ledger}, 0))`.execute(trx)
    const row = await trx
      .selectFrom('gas_policies')
      .selectAll()
      .where('project_id', '=', lower.projectId)
      .where('id', '=', lower.policyId)
      .forUpdate()
      .executeTakeFirst()
    if (!row) return { ok: false, rule: 'policy' }
    if (row.paused) return { ok: false, rule: 'paused' }
    const position = await readPosition(trx, lower)
    const refusal = checkLimits(toPolicy(row).rules, position, lower)
    if (refusal) return { ok: false, ...refusal }
    const id = await write(trx, lower, position)
    // The reservation was settled after its position was read.
    return id === undefined ? { ok: false, rule: 'nonce' } : { ok: true, id }
  })
}

/** Returns the refusal that {@link reserve} would return now, if any. For previews, which reserve nothing. */
export async function findRefusal(db: Db, request: reserve.Parameters): Promise<reserve.Refusal | undefined> {
  const lower = toLower(request)
  const policy = await findPolicy(db, lower.projectId, lower.policyId)
  if (!policy) return { rule: 'policy' }
  if (policy.paused) return { rule: 'paused' }
  return checkLimits(policy.rules, await readPosition(db, lower), lower)
}

function toLower(request: reserve.Parameters): Request {
  const { entryPoint, paymaster, sender, caller } = request
  return {
    ...request,
    entryPoint: entryPoint.toLowerCase(),
    paymaster: paymaster.toLowerCase(),
    sender: sender.toLowerCase(),
    caller: { key: digest(caller.key), ip: caller.ip === undefined ? null : digest(caller.ip) },
  }
}

/** Hashes the caller's identity, so that requests can be counted without storing it. */
function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url')
}

type Request = readPosition.Parameters & Pick<reserve.Parameters, 'maxCost' | 'validUntil' | 'tip'>

function checkLimits(rules: PolicyRules, position: Position, request: Request): reserve.Refusal | undefined {
  if (position.state === 'settled') return { rule: 'nonce' }
  const { maxCost, deposit } = request
  const lines = [...openLines(rules, position), ...costLines(rules, position, request)]
  for (const [rule, limit, used, added] of lines)
    if (limit !== undefined && used + added > BigInt(limit)) return { rule, limit: String(limit) }
  if (!deposit) return undefined
  const available = deposit.wei - position.owed
  if (max(position.own.cost, maxCost) > available) return { rule: 'deposit', available: max(available, 0n) }
  return undefined
}

type Line = [Exclude<LedgerRule, 'deposit'>, limit: number | string | bigint | undefined, used: bigint, added: bigint]

function openLines({ open }: PolicyRules, position: Position): Line[] {
  const scopes = (['sender', 'ip', 'key'] as const).map((scope): Line => {
    const limit = position.isOwnOpen[scope] ? undefined : open[scope]
    return [`open.${scope}`, limit, position.open[scope], 1n]
  })
  return [['open.signatures', open.signatures, position.own.signatures, 1n], ...scopes]
}

function costLines(rules: PolicyRules, position: Position, { chainId, caller, maxCost }: Request): Line[] {
  const { limits } = rules
  const added = (scope: 'sender' | 'ip' | 'key' | 'policy' | 'unsent') => max(position.own[scope], maxCost)
  const spent = position.policy.day.cost - position.unsent
  const costs = costLimits({ rules, chainId, spent })
  const byIp = (lines: Line[]) => (caller.ip === null ? [] : lines)
  return [
    ['limits.operation.cost', costs.operation, 0n, maxCost],
    ...byIp([
      ['open.cost', costs.unsent, position.unsent, added('unsent')],
      ['limits.ip.day.count', limits.ip?.day?.count, position.ip.day.count, 1n],
      ['limits.ip.day.cost', costs.ipDay, position.ip.day.cost, added('ip')],
    ]),
    ['limits.key.day.count', limits.key?.day?.count, position.key.day.count, 1n],
    ['limits.key.day.cost', limits.key?.day?.cost, position.key.day.cost, added('key')],
    ...(['sender', 'policy'] as const).flatMap((scope) =>
      (['day', 'total'] as const).flatMap((period): Line[] => {
        const { count, cost } = limits[scope]?.[period] ?? {}
        const isUnlimited = scope === 'policy' && period === 'day' && limits.policy?.total?.cost === undefined
        const limit = cost ?? (isUnlimited ? costs.policyDay : undefined)
        return [
          [`limits.${scope}.${period}.count`, count, position[scope][period].count, 1n],
          [`limits.${scope}.${period}.cost`, limit, position[scope][period].cost, added(scope)],
        ]
      }),
    ),
  ]
}

async function write(trx: Db, request: Request, position: Position): Promise<string | undefined> {
  const { projectId, policyId, chainId, entryPoint, paymaster, sender, nonce, maxCost, validUntil } = request
  const { tip } = request
  const id = randomUUID()
  const isNew = position.state !== 'reserved'
  const values = {
    state: 'reserved' as const,
    amount: max(position.own.cost, maxCost),
    paymaster,
    project_id: projectId,
    policy_id: policyId,
  }
  const reservation = await trx
    .insertInto('reservations')
    .values({
      chain_id: chainId,
      entry_point: entryPoint,
      sender,
      nonce,
      ...values,
      valid_until: validUntil,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['chain_id', 'entry_point', 'sender', 'nonce'])
        .doUpdateSet({
          ...values,
          valid_until: isNew ? validUntil : sql<Date>`greatest(reservations.valid_until, ${validUntil})`,
          updated_at: sql`latchkey_now()`,
        })
        .where('reservations.state', '!=', 'settled'),
    )
    .returning('state')
    .executeTakeFirst()
  if (!reservation) return undefined
  await trx
    .insertInto('sponsorships')
    .values({
      id,
      project_id: projectId,
      policy_id: policyId,
      chain_id: chainId,
      entry_point: entryPoint,
      paymaster,
      sender,
      nonce: nonce.toString(),
      user_op_hash: null,
      max_cost: maxCost,
      state: 'signed',
      valid_until: validUntil,
      caller_key: request.caller.key,
      caller_ip: request.caller.ip,
      ...(tip && { tip: tip.wei, raises: tip.raises, ...(tip.pricedAt && { priced_at: tip.pricedAt }) }),
    })
    .execute()
  return id
}

export declare namespace recordSignature {
  type Parameters = {
    id: string
    userOpHash: string
    /** Paymaster of the signature. An upstream service chooses the paymaster only when it signs. */
    paymaster: string
  }
}

/** Stores the operation of a reserved signature, before the signature leaves the server. */
export async function recordSignature(
  db: Db,
  { id, userOpHash, paymaster }: recordSignature.Parameters,
): Promise<void> {
  const hash = userOpHash.toLowerCase()
  const payer = paymaster.toLowerCase()
  await sql`
    with signed as (
      update sponsorships set user_op_hash = ${hash}, paymaster = ${payer} where id = ${id}
      returning chain_id, entry_point, sender, nonce
    )
    update reservations set paymaster = ${payer} from signed
    where reservations.chain_id = signed.chain_id and reservations.entry_point = signed.entry_point
      and reservations.sender = signed.sender and reservations.nonce = signed.nonce::numeric
      and reservations.paymaster != ${payer}`.execute(db)
}

export declare namespace findPriorTip {
  type Parameters = Pick<reserve.Parameters, 'chainId' | 'entryPoint' | 'sender' | 'nonce'>
  type ReturnType = { wei: bigint; raises: number; pricedAt: Date } | undefined
}

/** Returns the highest tip signed for a nonce, if it was within the market's limit in the last half hour. */
export async function findPriorTip(
  db: Db,
  { chainId, entryPoint, sender, nonce }: findPriorTip.Parameters,
): Promise<findPriorTip.ReturnType> {
  const row = await db
    .selectFrom('sponsorships')
    .select(['tip', 'raises', 'priced_at'])
    .where('chain_id', '=', String(chainId))
    .where('entry_point', '=', entryPoint.toLowerCase())
    .where('sender', '=', sender.toLowerCase())
    .where('nonce', '=', nonce.toString())
    .where('tip', 'is not', null)
    .where('priced_at', '>', sql<Date>`latchkey_now() - interval '30 minutes'`)
    .orderBy('tip', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.tip ? { wei: BigInt(row.tip), raises: row.raises, pricedAt: row.priced_at } : undefined
}

/**
 * Marks a signature as sent: a bundler accepted its operation, so the account has signed. From then on it counts for
 * the account, regardless of who requested it.
 */
export async function recordSent(db: Db, userOpHash: string): Promise<void> {
  await db
    .updateTable('sponsorships')
    .set({ sent_at: sql<Date>`latchkey_now()` })
    .where('user_op_hash', '=', userOpHash.toLowerCase())
    .where('sent_at', 'is', null)
    .execute()
}

/** Costs in wei of the chain's coin. */
type Costs = {
  /** Highest cost of one operation. */
  operation: bigint
  /** Cost of a policy per day. */
  policyDay: bigint
  /** Lowest tip that published clients send. */
  tipFloor: bigint
}

const layer1: Costs = { operation: 5n * 10n ** 16n, policyDay: 5n * 10n ** 18n, tipFloor: 100_000_000n }
const layer2: Costs = { operation: 10n ** 15n, policyDay: 10n ** 17n, tipFloor: 100_000_000n }
const arbitrum: Costs = { ...layer2, tipFloor: 10_000_000n }
/** Chains with a coin of about a dollar or less. */
const cheapCoin: Costs = { operation: 10n ** 18n, policyDay: 10n ** 20n, tipFloor: 100_000_000n }

/** Chains whose costs differ from `layer1`. */
const kinds = [
  { costs: arbitrum, chainIds: [42161, 421613, 421614] },
  {
    costs: layer2,
    chainIds: [
      10, 130, 252, 324, 480, 2522, 2523, 8453, 34443, 42170, 57073, 59144, 81457, 84532, 534352, 7777777, 11155420,
      999999999,
    ],
  },
  { costs: cheapCoin, chainIds: [137, 80001, 80002] },
]
const costsByChain: ReadonlyMap<number, Costs> = new Map(
  kinds.flatMap(({ costs, chainIds }) => chainIds.map((chainId) => [chainId, costs] as const)),
)

/** Divisor for the part of a policy's daily cost that one client IP address may spend. */
const ipShare = 5n
/**
 * Divisors for the amount that one client IP address may reserve without sending. The first applies to the policy's
 * daily cost, the second to its unused part.
 */
const unsentShare = 100n
const unsentShareOfRest = 20n

export declare namespace costLimits {
  type Parameters = {
    rules: Pick<PolicyRules, 'limits' | 'open'>
    chainId: number
    /** Wei of the policy's daily cost that others have spent or reserved. */
    spent: bigint
  }
  /** Highest costs in wei on one chain. */
  type ReturnType = {
    operation: bigint
    policyDay: bigint
    keyDay: bigint
    ipDay: bigint
    /** Maximum reserved for one client IP address and not yet sent. */
    unsent: bigint
  }
}

/**
 * Returns the costs that a policy allows on a chain. Every policy has cost limits: an API key is public, and an
 * attacker who bundles an operation receives its tip. The daily cost is therefore the maximum daily loss.
 */
export function costLimits({ rules, chainId, spent }: costLimits.Parameters): costLimits.ReturnType {
  const { limits, open } = rules
  const costs = costsOf(chainId)
  const total = read(limits.policy?.total?.cost)
  const policyDay = read(limits.policy?.day?.cost) ?? min(costs.policyDay, total ?? costs.policyDay)
  const ownOperation = read(limits.operation.cost)
  const operation = ownOperation ?? costs.operation
  const rest = max(policyDay - spent, 0n)
  return {
    operation,
    policyDay,
    keyDay: read(limits.key?.day?.cost) ?? policyDay,
    ipDay: read(limits.ip?.day?.cost) ?? policyDay / ipShare,
    // A share of the remaining budget never exhausts it, regardless of how many IP addresses reserve.
    unsent: read(open.cost) ?? max(policyDay / unsentShare, ownOperation ?? min(operation, rest / unsentShareOfRest)),
  }
}

export function tipFloor({ priorityFeeFloor }: Pick<PolicyRules, 'priorityFeeFloor'>, chainId: number): bigint {
  return read(priorityFeeFloor) ?? costsOf(chainId).tipFloor
}

function costsOf(chainId: number): Costs {
  return costsByChain.get(chainId) ?? layer1
}

function read(wei: string | undefined): bigint | undefined {
  return wei === undefined ? undefined : BigInt(wei)
}
