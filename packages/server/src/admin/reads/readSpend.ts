import { sql } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'

/** Reserved and paid amounts of one policy, chain and day, all in wei. */
export type Spend = {
  policyId: string
  chainId: number
  /** Null if senders are aggregated. */
  sender: string | null
  /** `YYYY-MM-DD`, UTC: the day of the block for settled operations, otherwise the day of the last change. */
  day: string
  /** Reserved for signatures that are still valid. */
  reserved: bigint
  /** Cost of included operations. */
  settled: bigint
  /** Reserved but not spent: released reservations, and the unspent remainder of settled ones. */
  refunded: bigint
  operations: { reserved: number; settled: number; released: number }
}

/** Position of the previous page's last row. */
export type SpendCursor = Pick<Spend, 'day' | 'policyId' | 'chainId'> & { sender: string }

export declare namespace readSpend {
  type Parameters = {
    projectId: string
    /** First and last day, `YYYY-MM-DD`. */
    from: string
    to: string
    policyId?: string | undefined
    chainId?: number | undefined
    sender?: string | undefined
    /** Whether to list each sender separately. @default false */
    bySender?: boolean | undefined
    limit: number
    after?: SpendCursor | undefined
  }
}

/**
 * Sums a project's ledger by day, policy and chain, oldest first. Includes only operations under the project's
 * policies.
 */
export async function readSpend(db: Db, parameters: readSpend.Parameters): Promise<Spend[]> {
  const { rows } = await buildQuery(parameters).execute(db)
  return rows.map((row) => ({
    policyId: row.policy_id,
    chainId: Number(row.chain_id),
    sender: row.sender === '' ? null : row.sender,
    day: row.day,
    reserved: BigInt(row.reserved),
    settled: BigInt(row.settled),
    refunded: BigInt(row.refunded),
    operations: {
      reserved: Number(row.reserved_count),
      settled: Number(row.settled_count),
      released: Number(row.released_count),
    },
  }))
}

type Row = Record<
  | 'policy_id'
  | 'chain_id'
  | 'sender'
  | 'day'
  | 'reserved'
  | 'settled'
  | 'refunded'
  | 'reserved_count'
  | 'settled_count'
  | 'released_count',
  string
>

/** Builds the query of {@link readSpend}; exported so that a test can check its plan. */
export function buildQuery(parameters: readSpend.Parameters) {
  const { projectId, from, to, policyId = null, chainId = null, sender = null, bySender, limit, after } = parameters
  const who = bySender ? sql`sender` : sql`''`
  return sql<Row>`
    select policy_id, chain_id::text, who as sender, to_char(day, 'YYYY-MM-DD') as day,
      coalesce(sum(amount) filter (where state = 'reserved'), 0)::text as reserved,
      coalesce(sum(actual_cost) filter (where state = 'settled'), 0)::text as settled,
      coalesce(sum(case state when 'released' then amount when 'settled' then greatest(amount - actual_cost, 0) end),
        0)::text as refunded,
      count(*) filter (where state = 'reserved')::text as reserved_count,
      count(*) filter (where state = 'settled')::text as settled_count,
      count(*) filter (where state = 'released')::text as released_count
    from (
      select policy_id, chain_id, ${who} as who, state, amount, actual_cost,
        (coalesce(block_time, updated_at) at time zone 'utc')::date as day
      from reservations
      where project_id = ${projectId} and policy_id is not null
        and coalesce(block_time, updated_at) >= ${from}::timestamp at time zone 'utc'
        and coalesce(block_time, updated_at) < (${to}::date + 1)::timestamp at time zone 'utc'
        and (${policyId}::text is null or policy_id = ${policyId})
        and (${chainId}::bigint is null or chain_id = ${chainId})
        and (${sender}::text is null or sender = ${sender?.toLowerCase() ?? null})
    ) as booked
    group by day, policy_id, chain_id, who
    having ${after === undefined ? sql`true` : sql`(day, policy_id, chain_id, who) > (${after.day}::date, ${after.policyId}, ${after.chainId}::bigint, ${after.sender})`}
    order by day, policy_id, chain_id, who
    limit ${limit}`
}
