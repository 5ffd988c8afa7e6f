import type { AdminChain, AdminHealth } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { listChains } from '../../store/chainStates.ts'
import { listCopies, silentSeconds } from '../../store/serverCopies.ts'
import { address, nothing, time, wei } from '../adminSchemas.ts'
import { defineRead, type Route } from '../defineRoute.ts'

const block = z.string().regex(/^\d{1,20}$/)
const chain = z.object({
  chainId: z.number(),
  head: z
    .object({ number: block, time })
    .nullable()
    .describe('Newest block, or null if the last check reached no node.'),
  bundlerEntryPoints: z
    .array(address)
    .nullable()
    .describe('Entry points that the bundler supports, or null if the last check reached no bundler.'),
  paymasters: z.array(
    z.object({ entryPoint: address, paymaster: address, deposit: wei, stake: wei, isStaked: z.boolean() }),
  ),
  readUpTo: z
    .array(z.object({ entryPoint: z.string(), number: block, time }))
    .describe('Newest confirmed block whose events are in the log and the ledger.'),
  error: z.string().nullable().describe('Error code of the most recent failed check.'),
  errorAt: time.nullable(),
  lookedAt: time.describe('Time of the last check. A gateway checks every 30 seconds.'),
}) satisfies z.ZodType<AdminChain>

const problems = z.record(z.string(), z.string()).describe('Problems by role.')
const health = z.object({
  copies: z.array(
    z.object({
      id: z.string(),
      roles: z.array(z.string()),
      version: z.string(),
      status: z
        .enum(['ready', 'not ready', 'silent'])
        .describe(`Same as its /readyz, or \`silent\` if it has not reported for ${silentSeconds} seconds.`),
      problems: problems.describe('Problems of this copy, by role.'),
      lacking: problems.describe('Problems shared by all copies of a role, by role; `server`: those of this copy.'),
      startedAt: time,
      seenAt: time,
    }),
  ),
  roles: z
    .array(z.object({ role: z.string(), copies: z.number(), ready: z.number(), lacking: z.string().nullable() }))
    .describe('Covers the copies that are not silent.'),
}) satisfies z.ZodType<AdminHealth>

export const healthRoutes: readonly Route[] = [
  defineRead({
    path: '/chains',
    role: 'viewer',
    name: 'chain.list',
    summary: 'Returns the state of each chain at the last check of a gateway.',
    params: nothing,
    query: nothing,
    response: z.object({ items: z.array(chain) }),
    run: async ({ db }) => ({
      items: (await listChains(db)).map((row) => ({
        chainId: Number(row.chain_id),
        head: row.head,
        bundlerEntryPoints: row.bundlerEntryPoints,
        paymasters: row.paymasters,
        readUpTo: row.cursors.map(({ entry_point, block_number, block_time }) => ({
          entryPoint: entry_point,
          number: block_number,
          time: block_time.toISOString(),
        })),
        error: row.error,
        errorAt: row.error_at?.toISOString() ?? null,
        lookedAt: row.looked_at.toISOString(),
      })),
    }),
  }),
  defineRead({
    path: '/health',
    role: 'viewer',
    name: 'health.show',
    summary: 'Lists the server copies that reported within a day, with their health.',
    params: nothing,
    query: nothing,
    response: health,
    run: async ({ db }) => toHealth(await listCopies(db)),
  }),
]

function toHealth(rows: Awaited<ReturnType<typeof listCopies>>): z.input<typeof health> {
  const copies = rows.map(({ state, silent_seconds, ...row }) => ({
    id: row.id,
    roles: row.roles,
    version: row.version,
    status: silent_seconds > silentSeconds ? ('silent' as const) : state.status,
    problems: state.problems ?? {},
    lacking: state.lacking ?? {},
    startedAt: row.started_at.toISOString(),
    seenAt: row.seen_at.toISOString(),
  }))
  const heard = copies.filter(({ status }) => status !== 'silent')
  const roles = [...new Set(copies.flatMap((copy) => copy.roles))].sort().map((role) => {
    const own = heard.filter((copy) => copy.roles.includes(role))
    return {
      role,
      copies: own.length,
      ready: own.filter(({ status }) => status === 'ready').length,
      lacking: own.map(({ lacking }) => lacking[role]).find((text) => text !== undefined) ?? null,
    }
  })
  return { copies, roles }
}
