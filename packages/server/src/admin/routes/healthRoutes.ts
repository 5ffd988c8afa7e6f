import type { AdminChain, AdminHealth } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { listChains } from '../../store/chainStates.ts'
import { listCopies } from '../../store/serverCopies.ts'
import { address, nothing, time, wei } from '../adminSchemas.ts'
import { defineRead, type Route } from '../defineRoute.ts'

/** Replicas report every 30 seconds. */
const silentSeconds = 90

const block = z.string().regex(/^\d{1,20}$/)
const chain = z.object({
  chainId: z.number(),
  head: z.object({ number: block, time }).nullable().describe('Null: the last look found no node.'),
  bundlerEntryPoints: z.array(address).nullable().describe('Null: the last look found no bundler.'),
  paymasters: z.array(
    z.object({ entryPoint: address, paymaster: address, deposit: wei, stake: wei, isStaked: z.boolean() }),
  ),
  readUpTo: z
    .array(z.object({ entryPoint: z.string(), number: block, time }))
    .describe('Confirmed blocks whose events the log and the ledger have.'),
  error: z.string().nullable().describe('Code of the last failure of a look, however old.'),
  errorAt: time.nullable(),
  lookedAt: time.describe('By one of the gateways, every 30 seconds.'),
}) satisfies z.ZodType<AdminChain>

const problems = z.record(z.string(), z.string()).describe('By role.')
const health = z.object({
  copies: z.array(
    z.object({
      id: z.string(),
      roles: z.array(z.string()),
      version: z.string(),
      status: z
        .enum(['ready', 'not ready', 'silent'])
        .describe(`As its /readyz; silent: not heard of for ${silentSeconds} seconds.`),
      problems: problems.describe('What it lacks by itself, by role.'),
      lacking: problems.describe('What all copies of a role lack, by role; `server`: what this copy lacks.'),
      startedAt: time,
      seenAt: time,
    }),
  ),
  roles: z
    .array(z.object({ role: z.string(), copies: z.number(), ready: z.number(), lacking: z.string().nullable() }))
    .describe('Of the copies that are not silent.'),
}) satisfies z.ZodType<AdminHealth>

export const healthRoutes: readonly Route[] = [
  defineRead({
    path: '/chains',
    role: 'viewer',
    name: 'chain.list',
    summary: 'Shows the chains as a gateway found them at its last look.',
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
    summary: 'Shows the copies of the server that were heard of within a day, and how each is.',
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
