import type { AdminSpend } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { adminBounds } from '../adminLimits.ts'
import { address, pageQuery, pageResponse, projectParams, readPage, wei } from '../adminSchemas.ts'
import { defineRead, type Route } from '../defineRoute.ts'
import { readSpend, type Spend } from '../reads/readSpend.ts'

const day = z.iso.date().refine((text) => text >= '2000-01-01', 'must be 2000-01-01 or later')
const dayMs = 86_400_000

const spend = z.object({
  policyId: z.string(),
  chainId: z.number(),
  sender: z.string().nullable().describe('Null if all senders are summed.'),
  day: day.describe('Day in UTC: of the block for settled amounts, otherwise of the last change.'),
  reserved: wei.describe('Amount reserved for signatures that can still be used.'),
  settled: wei.describe('Cost of included operations.'),
  refunded: wei.describe('Reserved amount that was not needed.'),
  operations: z.object({ reserved: z.number(), settled: z.number(), released: z.number() }),
}) satisfies z.ZodType<AdminSpend>

const place = z.strictObject({ day, policyId: z.string(), chainId: z.int(), sender: z.string() })

export const spendRoutes: readonly Route[] = [
  defineRead({
    path: '/projects/{projectId}/spend',
    role: 'viewer',
    name: 'spend.list',
    summary: `Sums the reserved and paid amounts of a project by day, policy and chain, in wei as decimal strings. Returns at most ${adminBounds.spendDays} days.`,
    params: projectParams,
    query: pageQuery({
      from: day.optional().describe('First day. Defaults to 30 days before the last day.'),
      to: day.optional().describe('Last day. Defaults to today.'),
      policyId: z.string().max(128).optional(),
      chainId: z
        .string()
        .regex(/^[1-9]\d{0,14}$/)
        .transform(Number)
        .optional(),
      sender: address.optional(),
      by: z.enum(['policy', 'sender']).default('policy').describe('Grouping. `sender` also splits the sums by sender.'),
    }),
    response: pageResponse('Sums, oldest day first.', spend),
    async run({ db, now }, { params, query }) {
      const to = query.to ?? new Date(now()).toISOString().slice(0, 10)
      const from = query.from ?? new Date(Date.parse(to) - 30 * dayMs).toISOString().slice(0, 10)
      const days = (Date.parse(to) - Date.parse(from)) / dayMs
      if (days < 0 || days >= adminBounds.spendDays)
        throw new ServerError(`Ask for 1 to ${adminBounds.spendDays} days, from the first to the last.`, {
          code: 'REQUEST_INVALID',
        })
      const { policyId, chainId, sender, by } = query
      const filter = { projectId: params.projectId, from, to, policyId, chainId, sender, bySender: by === 'sender' }
      const { rows, next } = await readPage({
        query,
        place,
        toPlace: (row: Spend) => ({
          day: row.day,
          policyId: row.policyId,
          chainId: row.chainId,
          sender: row.sender ?? '',
        }),
        read: (limit, after) => readSpend(db, { ...filter, limit, after }),
      })
      return { items: rows.map(toResponse), next }
    },
  }),
]

function toResponse({ reserved, settled, refunded, ...rest }: Spend): z.input<typeof spend> {
  return { ...rest, reserved: String(reserved), settled: String(settled), refunded: String(refunded) }
}
