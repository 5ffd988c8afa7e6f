import type { AdminOverview } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { listProjects } from '../../store/projects.ts'
import { adminBounds } from '../adminLimits.ts'
import { nothing, operationStates, time, wei } from '../adminSchemas.ts'
import { type CallContext, defineRead, type Route } from '../defineRoute.ts'
import {
  type CountedOperations,
  countOperations,
  countUsers,
  listRefusals,
  type OverviewRange,
  overviewRows,
  type Sponsored,
  sumSponsored,
} from '../reads/readOverview.ts'

const steps = { hour: 3_600, day: 86_400 } as const
const hourMs = 3_600_000

const figures = z.object({
  newUsers: z.number(),
  operations: z
    .partialRecord(z.enum(operationStates), z.number())
    .describe('Number of operations created in this period, by current state.'),
  inclusionRate: z
    .number()
    .nullable()
    .describe('Included share of the finished operations, 0 to 1. Null if none is finished.'),
  preparedToIncluded: z
    .object({ medianMs: z.number(), p95Ms: z.number() })
    .nullable()
    .describe('Milliseconds, accurate to 2.5 percent. Null if no operation prepared here was included.'),
  sponsored: z
    .array(z.object({ chainId: z.number(), wei, operations: z.number() }))
    .describe(
      `Cost of settled operations to the paymasters, by chain and block time, from the ledger. Covers the newest ${overviewRows} of each project.`,
    ),
  refusals: z
    .array(z.object({ code: z.string(), count: z.number() }))
    .describe('Calls that the gateway refused in whole hours, by code. Updates with a delay of some seconds.'),
})

const overview = z.object({
  from: time,
  to: time,
  step: z.enum(['hour', 'day']),
  countedFrom: time
    .nullable()
    .describe(
      `Null if everything is counted. Otherwise only the newest ${overviewRows} operations are counted, from this step on.`,
    ),
  totals: figures.extend({
    users: z
      .number()
      .describe(
        `Users of the parent organizations, counted up to ${overviewRows}. Projects may share a parent organization.`,
      ),
  }),
  series: z
    .array(figures.extend({ at: time.describe('Start of the step, UTC.') }))
    .describe('Figures of each step, oldest first.'),
}) satisfies z.ZodType<AdminOverview>

export const overviewRoutes: readonly Route[] = [
  defineRead({
    path: '/overview',
    role: 'viewer',
    name: 'overview.show',
    summary: `Returns users, operations, speed, cost and refused calls in steps. At most ${adminBounds.overviewHours} hours by hour, ${adminBounds.overviewDays} days by day.`,
    params: nothing,
    query: z.strictObject({
      projectId: z.string().max(128).optional().describe('Defaults to all projects.'),
      from: time.optional().describe('Defaults to 24 hours before the end for hours, 30 days for days.'),
      to: time.optional().describe('Defaults to now.'),
      step: z.enum(['hour', 'day']).default('hour'),
    }),
    response: overview,
    errors: ['NOT_FOUND'],
    run: (context, { query }) => show(context, query),
  }),
]

type Query = {
  projectId?: string | undefined
  from?: string | undefined
  to?: string | undefined
  step: 'hour' | 'day'
}

async function show(context: CallContext, query: Query): Promise<z.input<typeof overview>> {
  const { db } = context
  const range = readRange(query, context.now())
  const parents = await listParents(context, range.projectId)
  const [operations, users, sponsored, refusals] = await Promise.all([
    countOperations(db, range),
    countUsers(db, { ...range, parents }),
    sumSponsored(db, range),
    listRefusals(db, range),
  ])
  const rows = { operations, users: users.byStep, sponsored, refusals }
  const counted = sum(operations.map(({ count }) => count))
  const oldest = operations.reduce((time, { at }) => Math.min(time, at.getTime()), range.to.getTime())
  return {
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    step: query.step,
    countedFrom: counted < overviewRows ? null : new Date(oldest).toISOString(),
    totals: { users: users.all, ...toFigures(rows) },
    series: toSeries(range, rows),
  }
}

function readRange({ projectId, from, to, step }: Query, now: number): OverviewRange {
  const most = step === 'hour' ? adminBounds.overviewHours : adminBounds.overviewDays * 24
  const end = to === undefined ? now : Date.parse(to)
  const start = from === undefined ? end - (step === 'hour' ? 24 : 30 * 24) * hourMs : Date.parse(from)
  if (end <= start || end - start > most * hourMs)
    throw new ServerError(
      `Ask for a time of at most ${adminBounds.overviewHours} hours by hour, or ${adminBounds.overviewDays} days by day, from its beginning to its end.`,
      { code: 'REQUEST_INVALID' },
    )
  return { projectId: projectId ?? null, from: new Date(start), to: new Date(end), stepSeconds: steps[step] }
}

async function listParents({ db, rootOrganizationId }: CallContext, projectId: string | null): Promise<string[]> {
  const found = await listProjects(db, { limit: adminBounds.overviewProjects, id: projectId ?? undefined })
  if (projectId !== null && found.length === 0)
    throw new ServerError('There is no such project. List the projects.', { code: 'NOT_FOUND', status: 404 })
  return [...new Set(found.map(({ organizationId }) => organizationId ?? rootOrganizationId))]
}

type Rows = {
  operations: readonly CountedOperations[]
  users: readonly { at: Date; count: number }[]
  sponsored: readonly Sponsored[]
  refusals: readonly { at: Date; code: string; count: number }[]
}

function listSteps({ from, to, stepSeconds }: OverviewRange): Date[] {
  const stepMs = stepSeconds * 1000
  const first = Math.floor(from.getTime() / stepMs)
  const count = Math.ceil(to.getTime() / stepMs) - first
  return Array.from({ length: count }, (_, index) => new Date((first + index) * stepMs))
}

function toSeries(range: OverviewRange, rows: Rows): z.input<typeof overview>['series'] {
  const operations = byTime(rows.operations)
  const users = byTime(rows.users)
  const sponsored = byTime(rows.sponsored)
  const refusals = byTime(rows.refusals)
  return listSteps(range).map((at) => {
    const time = at.getTime()
    const own = {
      operations: operations.get(time) ?? [],
      users: users.get(time) ?? [],
      sponsored: sponsored.get(time) ?? [],
      refusals: refusals.get(time) ?? [],
    }
    return { at: at.toISOString(), ...toFigures(own) }
  })
}

function byTime<row extends { at: Date }>(rows: readonly row[]): Map<number, row[]> {
  const found = new Map<number, row[]>()
  for (const row of rows) {
    const own = found.get(row.at.getTime())
    if (own) own.push(row)
    else found.set(row.at.getTime(), [row])
  }
  return found
}

function toFigures({ operations, users, sponsored, refusals }: Rows): z.input<typeof figures> {
  const states = sumBy(operations, ({ state }) => state)
  const ended = sum(['included', 'replaced', 'dropped', 'failed'].map((state) => states.get(state) ?? 0))
  const chains = [...new Set(sponsored.map(({ chainId }) => chainId))].sort((one, other) => one - other)
  return {
    newUsers: sum(users.map(({ count }) => count)),
    operations: Object.fromEntries(states),
    inclusionRate: ended === 0 ? null : (states.get('included') ?? 0) / ended,
    preparedToIncluded: toPercentiles(operations),
    sponsored: chains.map((chainId) => {
      const own = sponsored.filter((row) => row.chainId === chainId)
      const total = own.reduce((all, row) => all + row.wei, 0n)
      return { chainId, wei: String(total), operations: sum(own.map((row) => row.operations)) }
    }),
    refusals: [...sumBy(refusals, ({ code }) => code)]
      .map(([code, count]) => ({ code, count }))
      .sort((one, other) => other.count - one.count || (one.code < other.code ? -1 : 1)),
  }
}

function toPercentiles(operations: readonly CountedOperations[]): z.input<typeof figures>['preparedToIncluded'] {
  const timed = operations.flatMap(({ tookMs, count }) => (tookMs === null ? [] : [{ tookMs, count }]))
  timed.sort((one, other) => one.tookMs - other.tookMs)
  const all = sum(timed.map(({ count }) => count))
  function find(part: number): number {
    let seen = 0
    const found = timed.find(({ count }) => {
      seen += count
      return seen >= all * part
    })
    return found?.tookMs ?? 0
  }
  return all === 0 ? null : { medianMs: find(0.5), p95Ms: find(0.95) }
}

function sumBy<row extends { count: number }>(rows: readonly row[], name: (row: row) => string): Map<string, number> {
  const sums = new Map<string, number>()
  for (const row of rows) sums.set(name(row), (sums.get(name(row)) ?? 0) + row.count)
  return sums
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
