import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { findPolicy, toPolicy } from './policies.ts'
import type { PolicyRules } from './policyRules.ts'
import { type Position, readPosition } from './readPosition.ts'

export declare namespace reserve {
  type Parameters = {
    projectId: string
    policyId: string
    /** The caller's API key, and address if known: open reservations of each are bounded. */
    caller: { key: string; ip?: string | undefined }
    chainId: number
    entryPoint: string
    paymaster: string
    sender: string
    nonce: bigint
    /** Maximum wei the paymaster pays. */
    maxCost: bigint
    validUntil: Date
    /**
     * Wei the paymaster had at the entry point at the end of that block; undefined when an upstream service maintains
     * it.
     */
    deposit: { wei: bigint; blockNumber: bigint } | undefined
  }
  /** `id`: id of the signature, for {@link recordSignature}. */
  type ReturnType = { ok: true; id: string } | ({ ok: false } & Refusal)
  type Refusal =
    | { rule: 'deposit'; available: bigint }
    | { rule: Exclude<BookRule, 'deposit'>; limit?: string | undefined }
}

/** Rules by which the ledger refuses, in the order of the checks. */
export type BookRule =
  | 'policy'
  | 'paused'
  | 'nonce'
  | 'open.signatures'
  | 'open.sender'
  | 'open.ip'
  | 'open.key'
  | 'limits.operation.cost'
  | `limits.${'sender' | 'policy'}.${'day' | 'total'}.${'count' | 'cost'}`
  | 'deposit'

/**
 * Reserves the highest cost of an operation before it is signed, unless a limit of its policy or the paymaster's
 * deposit does not allow it. Atomic across replicas: reservations of the same paymaster or policy are serialized.
 *
 * A second signature for the same nonce raises the reservation to the higher cost; it does not add to it, since only
 * one of the two can be included.
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
    const refusal = judge(toPolicy(row).rules, position, lower)
    if (refusal) return { ok: false, ...refusal }
    const id = await write(trx, lower, position)
    // It was settled after the position was read.
    return id === undefined ? { ok: false, rule: 'nonce' } : { ok: true, id }
  })
}

/** Returns the refusal that {@link reserve} would give now, if any: for previews, which reserve nothing. */
export async function findRefusal(db: Db, request: reserve.Parameters): Promise<reserve.Refusal | undefined> {
  const lower = toLower(request)
  const policy = await findPolicy(db, lower.projectId, lower.policyId)
  if (!policy) return { rule: 'policy' }
  if (policy.paused) return { rule: 'paused' }
  return judge(policy.rules, await readPosition(db, lower), lower)
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

/** Hashes the caller, who can be counted without being stored. */
function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url')
}

type Request = readPosition.Parameters & { maxCost: bigint; validUntil: Date }

function judge(
  { limits, open }: PolicyRules,
  position: Position,
  { maxCost, deposit }: Request,
): reserve.Refusal | undefined {
  if (position.state === 'settled') return { rule: 'nonce' }
  const isNew = position.state !== 'reserved'
  const cost = max(position.own.policyCost, maxCost)
  type Line = [Exclude<BookRule, 'deposit'>, limit: number | string | undefined, used: bigint, added: bigint]
  const scopes = (['sender', 'policy'] as const).flatMap((scope) =>
    (['day', 'total'] as const).flatMap((period): Line[] => [
      [`limits.${scope}.${period}.count`, limits[scope]?.[period]?.count, position[scope][period].count, 1n],
      [`limits.${scope}.${period}.cost`, limits[scope]?.[period]?.cost, position[scope][period].cost, cost],
    ]),
  )
  const lines: Line[] = [
    ['open.signatures', open.signatures, position.own.signatures, 1n],
    ['open.sender', isNew ? open.sender : undefined, position.open.sender, 1n],
    ['open.ip', isNew ? open.ip : undefined, position.open.ip, 1n],
    ['open.key', isNew ? open.key : undefined, position.open.key, 1n],
    ['limits.operation.cost', limits.operation?.cost, 0n, maxCost],
    ...scopes,
  ]
  for (const [rule, limit, used, added] of lines)
    if (limit !== undefined && used + added > BigInt(limit)) return { rule, limit: String(limit) }
  if (!deposit) return undefined
  const available = deposit.wei - position.owed
  if (max(position.own.cost, maxCost) > available) return { rule: 'deposit', available: max(available, 0n) }
  return undefined
}

async function write(trx: Db, request: Request, position: Position): Promise<string | undefined> {
  const { projectId, policyId, chainId, entryPoint, paymaster, sender, nonce, maxCost, validUntil, caller } = request
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
      caller_key: caller.key,
      caller_ip: caller.ip,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['chain_id', 'entry_point', 'sender', 'nonce'])
        .doUpdateSet({
          ...values,
          // It counts for the caller who opened it until it is closed.
          ...(isNew
            ? { caller_key: caller.key, caller_ip: caller.ip, valid_until: validUntil }
            : { valid_until: sql<Date>`greatest(reservations.valid_until, ${validUntil})` }),
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
    })
    .execute()
  return id
}

export declare namespace recordSignature {
  type Parameters = {
    id: string
    userOpHash: string
    /** Paymaster of that signature: an upstream service names it only when it signs. */
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

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
