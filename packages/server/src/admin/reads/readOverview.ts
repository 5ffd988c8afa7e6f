import { type RawBuilder, sql } from 'kysely'
import type { OperationState } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'

/** Maximum number of recent rows that an overview reads, so that its cost does not grow with the tables. */
export const overviewRows = 500_000

/** Range of an overview, divided into steps that begin at multiples of the step length (UTC). */
export type OverviewRange = {
  /** Project id, or null for all projects. */
  projectId: string | null
  from: Date
  to: Date
  stepSeconds: 3_600 | 86_400
}

/** Operations created in a step, by state and duration. */
export type CountedOperations = {
  /** Start of the step. */
  at: Date
  state: OperationState
  /**
   * Milliseconds from preparation to inclusion, accurate to 2.5 percent. Null if the operation was not included, or not
   * prepared by this server.
   */
  tookMs: number | null
  count: number
}

/** Ratio of consecutive duration buckets: each is 5 percent longer than the previous one. */
const classBase = 1.05

/** Counts the newest operations of a range with an index-only scan. */
export async function countOperations(db: Db, range: OverviewRange): Promise<CountedOperations[]> {
  const { rows } = await operationsQuery(range).execute(db)
  return rows.map(({ at, state, duration, count }) => ({
    at,
    state,
    tookMs: duration === null ? null : Math.round(classBase ** (duration + 0.5)),
    count: Number(count),
  }))
}

/** Builds the query of {@link countOperations}; exported so that a test can check its plan. */
export function operationsQuery({ projectId, from, to, stepSeconds }: OverviewRange) {
  return sql<{ at: Date; state: OperationState; duration: number | null; count: string }>`
    select ${toStep(sql`created_at`, stepSeconds)} as at, state,
      case when state = 'included' and prepared_at is not null then
        floor(ln(greatest(date_part('epoch', ended_at - prepared_at) * 1000, 1)) / ${sql.lit(Math.log(classBase))}::float8)
      end as duration,
      count(*)::text as count
    from (
      select created_at, state, prepared_at, ended_at from operations
      where created_at >= ${from} and created_at < ${to} ${ofProject(projectId)}
      order by created_at desc limit ${sql.lit(overviewRows)}
    ) as newest
    group by 1, 2, 3`
}

const toStep = (time: RawBuilder<unknown>, stepSeconds: OverviewRange['stepSeconds']) =>
  sql<Date>`date_bin(${sql.lit(`${stepSeconds} seconds`)}::interval, ${time}, 'epoch'::timestamptz)`

const ofProject = (projectId: string | null) => (projectId === null ? sql`` : sql`and project_id = ${projectId}`)

type UserRange = Omit<OverviewRange, 'projectId'> & { parents: readonly string[] }

/** Counts users of the given parent organizations: the total, up to the row limit, and new users per step. */
export async function countUsers(
  db: Db,
  range: UserRange,
): Promise<{ all: number; byStep: { at: Date; count: number }[] }> {
  const { rows: all } = await sql<{ count: string }>`select count(*)::text as count from (
    select from users where ${below(range.parents)} limit ${sql.lit(overviewRows)}
  ) as found`.execute(db)
  const { rows } = await newUsersQuery(range).execute(db)
  const byStep = rows.map(({ at, count }) => ({ at, count: Number(count) }))
  return { all: Number(all[0]?.count ?? 0), byStep }
}

/** Builds the query for new users per step; exported so that a test can check its plan. */
export function newUsersQuery({ parents, from, to, stepSeconds }: UserRange) {
  return sql<{ at: Date; count: string }>`
    select ${toStep(sql`created_at`, stepSeconds)} as at,
      count(*)::text as count
    from (
      select created_at from users where ${below(parents)} and created_at >= ${from} and created_at < ${to}
      limit ${sql.lit(overviewRows)}
    ) as found
    group by 1`
}

const below = (parents: readonly string[]) => sql`parent_org_id = any(${[...parents]}::uuid[])`

/** Paymasters' cost in a step, per chain, since the coins of different chains cannot be added. */
export type Sponsored = { at: Date; chainId: number; wei: bigint; operations: number }

/** Sums the cost of a range's settled operations from the ledger. */
export async function sumSponsored(db: Db, range: OverviewRange): Promise<Sponsored[]> {
  const { rows } = await sponsoredQuery(range).execute(db)
  return rows.map(({ at, chain, wei, count }) => ({
    at,
    chainId: Number(chain),
    wei: BigInt(wei),
    operations: Number(count),
  }))
}

/** Builds the query of {@link sumSponsored}; exported so that a test can check its plan. */
export function sponsoredQuery({ projectId, from, to, stepSeconds }: OverviewRange) {
  return sql<{ at: Date; chain: string; wei: string; count: string }>`
    select ${toStep(sql`booked`, stepSeconds)} as at,
      chain_id::text as chain, sum(actual_cost)::text as wei, count(*)::text as count
    from projects cross join lateral (
      select coalesce(block_time, updated_at) as booked, chain_id, actual_cost from reservations
      where project_id = projects.id and state = 'settled'
        and coalesce(block_time, updated_at) >= ${from} and coalesce(block_time, updated_at) < ${to}
      order by coalesce(block_time, updated_at) desc limit ${sql.lit(overviewRows)}
    ) as settled
    ${projectId === null ? sql`` : sql`where projects.id = ${projectId}`}
    group by 1, 2`
}

export async function listRefusals(
  db: Db,
  { projectId, from, to, stepSeconds }: OverviewRange,
): Promise<{ at: Date; code: string; count: number }[]> {
  const { rows } = await sql<{ at: Date; code: string; count: string }>`
    select ${toStep(sql`hour`, stepSeconds)} as at, code,
      sum(count)::text as count
    from refusals
    where hour >= date_bin('1 hour', ${from}::timestamptz, 'epoch') and hour < ${to} ${ofProject(projectId)}
    group by 1, 2`.execute(db)
  return rows.map(({ at, code, count }) => ({ at, code, count: Number(count) }))
}
