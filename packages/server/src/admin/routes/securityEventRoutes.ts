import type { AdminSecurityEvent } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { listSecurityEvents } from '../../store/securityEventRows.ts'
import { nothing, pageResponse, readPage, time, timedQuery } from '../adminSchemas.ts'
import { defineRead, type Route } from '../defineRoute.ts'

const event = z.object({
  id: z.string(),
  at: time,
  roles: z.array(z.string()).describe('Roles of the process that recorded the event.'),
  event: z.string(),
  code: z.string().nullable().describe('Error code, if the event is a refusal.'),
  path: z.string().nullable(),
  organizationId: z.string().nullable(),
  userId: z.string().nullable().describe('Id of the user, or of the operator who acted.'),
  requestId: z.string().nullable(),
  count: z
    .number()
    .describe(
      'Number of times the event occurred since the process started. In a burst, only some events are stored as rows.',
    ),
}) satisfies z.ZodType<AdminSecurityEvent>

type Row = Awaited<ReturnType<typeof listSecurityEvents>>[number]

export const securityEventRoutes: readonly Route[] = [
  defineRead({
    path: '/security-events',
    role: 'operator',
    name: 'securityEvent.list',
    summary:
      'Lists security events of all roles by time: refusals and changes to accounts. Events are kept for 30 days.',
    params: nothing,
    query: timedQuery({ event: z.string().max(64).optional() }),
    response: pageResponse('Events.', event),
    async run({ db }, { query }) {
      const { rows, next } = await readPage({
        query,
        place: z.strictObject({ id: z.string().regex(/^\d{1,18}$/) }),
        toPlace: ({ id }: Row) => ({ id }),
        read: (limit, after) =>
          listSecurityEvents(db, { event: query.event, order: query.order, limit, after: after?.id }),
      })
      return {
        items: rows.map(({ at, organization_id, user_id, request_id, count, ...row }) => ({
          ...row,
          at: at.toISOString(),
          organizationId: organization_id,
          userId: user_id,
          requestId: request_id,
          count: Number(count),
        })),
        next,
      }
    },
  }),
]
