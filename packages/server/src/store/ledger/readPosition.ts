import { sql } from 'kysely'
import type { ReservationTable } from '../../platform/database/gatewayTables.ts'
import type { Db } from '../../platform/database/openStore.ts'

type Amounts = { count: bigint; cost: bigint }

/** Ledger amounts relevant to a request, without the operation's own reservation, which would be replaced. */
export type Position = {
  /** State of the operation's reservation; null when there is none. */
  state: ReservationTable['state'] | null
  /** The operation's open signatures: their number, highest cost, and the highest of this policy. */
  own: { signatures: bigint; cost: bigint; policyCost: bigint }
  /** Wei the paymaster may still owe for others, or has paid since the block in which its deposit was read. */
  owed: bigint
  open: { sender: bigint; ip: bigint; key: bigint }
  /** Open and settled amounts. Costs are those of this chain. */
  sender: { day: Amounts; total: Amounts }
  policy: { day: Amounts; total: Amounts }
}

export declare namespace readPosition {
  /** `caller` holds digests; addresses are in lower case. */
  type Parameters = {
    projectId: string
    policyId: string
    chainId: number
    entryPoint: string
    paymaster: string
    sender: string
    nonce: bigint
    /** Digests. */
    caller: { key: string; ip: string | null }
    deposit: { wei: bigint; blockNumber: bigint } | undefined
  }
}

/** Reads from one snapshot: concurrent settlements count once, as open or as spent. */
export async function readPosition(trx: Db, request: readPosition.Parameters): Promise<Position> {
  const { rows } = await buildQuery(request).execute(trx)
  const row = rows[0]
  const big = (name: Sum) => BigInt(row?.[name] ?? 0)
  const spent = (scope: 'sender' | 'policy', period: 'day' | 'total'): Amounts => ({
    count: big(`${scope}_open_count`) + big(`${scope}_${period}_count`),
    cost: big(`${scope}_open_cost`) + big(`${scope}_${period}_cost`),
  })
  const budgets = (scope: 'sender' | 'policy') => ({ day: spent(scope, 'day'), total: spent(scope, 'total') })
  return {
    state: row?.state ?? null,
    own: { signatures: big('own_signatures'), cost: big('own_cost'), policyCost: big('own_policy_cost') },
    owed: big('owed_open') + big('owed_settled'),
    open: { sender: big('open_sender'), ip: big('open_ip'), key: big('open_key') },
    sender: budgets('sender'),
    policy: budgets('policy'),
  }
}

type Sum =
  | 'own_signatures'
  | 'own_cost'
  | 'own_policy_cost'
  | 'owed_open'
  | 'owed_settled'
  | `open_${'sender' | 'ip' | 'key'}`
  | `${'sender' | 'policy'}_${'open' | 'day' | 'total'}_${'count' | 'cost'}`
type Row = { [sum in Sum]: string | null } & { state: Position['state'] }

function buildQuery(request: readPosition.Parameters) {
  const { projectId, policyId, chainId, entryPoint, paymaster, sender, caller, deposit } = request
  const nonce = request.nonce.toString()
  const isOwn = sql`(chain_id = ${chainId} and entry_point = ${entryPoint} and sender = ${sender} and nonce = ${nonce}::numeric)`
  const isOwnSignature = sql`(chain_id = ${chainId} and entry_point = ${entryPoint} and sender = ${sender} and nonce = ${nonce}::text)`
  return sql<Row>`
    with own as (
      select count(*) as signatures, max(max_cost) as cost,
        max(max_cost) filter (where project_id = ${projectId} and policy_id = ${policyId}) as policy_cost
      from sponsorships where ${isOwnSignature} and state = 'signed' and paymaster is not null
    ), policy_operations as (
      select chain_id, sender, max(max_cost) as cost
      from sponsorships
      where project_id = ${projectId} and policy_id = ${policyId} and state = 'signed' and paymaster is not null
        and not ${isOwnSignature}
      group by chain_id, entry_point, sender, nonce
    ), policy_open as (
      select count(*) as policy_count, sum(cost) filter (where chain_id = ${chainId}) as policy_cost,
        count(*) filter (where sender = ${sender}) as sender_count,
        sum(cost) filter (where chain_id = ${chainId} and sender = ${sender}) as sender_cost
      from policy_operations
    ), spent as (
      select sender, chain_id, day, count, cost, day = (latchkey_now() at time zone 'utc')::date as today
      from policy_spend
      where project_id = ${projectId} and policy_id = ${policyId} and sender in ('', ${sender})
    ), spend as (
      select
        sum(count) filter (where sender != '') as sender_total_count,
        sum(count) filter (where sender != '' and today) as sender_day_count,
        sum(cost) filter (where sender != '' and chain_id = ${chainId}) as sender_total_cost,
        sum(cost) filter (where sender != '' and chain_id = ${chainId} and today) as sender_day_cost,
        sum(count) filter (where sender = '') as policy_total_count,
        sum(count) filter (where sender = '' and today) as policy_day_count,
        sum(cost) filter (where sender = '' and chain_id = ${chainId}) as policy_total_cost,
        sum(cost) filter (where sender = '' and chain_id = ${chainId} and today) as policy_day_cost
      from spent
    )
    select
      (select state from reservations where ${isOwn}) as state,
      own.signatures as own_signatures, own.cost as own_cost, own.policy_cost as own_policy_cost,
      (select sum(amount) from reservations where chain_id = ${chainId} and entry_point = ${entryPoint}
        and paymaster = ${paymaster} and state = 'reserved' and not ${isOwn}) as owed_open,
      (select sum(actual_cost) from reservations where chain_id = ${chainId} and entry_point = ${entryPoint}
        and paymaster = ${paymaster} and state = 'settled'
        and block_number > ${deposit?.blockNumber.toString() ?? null}::bigint) as owed_settled,
      (select count(*) from reservations where chain_id = ${chainId} and sender = ${sender}
        and state = 'reserved') as open_sender,
      (select count(*) from reservations where caller_ip = ${caller.ip} and state = 'reserved') as open_ip,
      (select count(*) from reservations where caller_key = ${caller.key} and state = 'reserved') as open_key,
      policy_open.policy_count as policy_open_count, policy_open.policy_cost as policy_open_cost,
      policy_open.sender_count as sender_open_count, policy_open.sender_cost as sender_open_cost,
      spend.*
    from own, policy_open, spend`
}
