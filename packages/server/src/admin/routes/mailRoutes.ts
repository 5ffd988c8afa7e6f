import type { AdminMail } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { addressesFor } from '../addressesFor.ts'
import { nothing, pageResponse, readPage, time, timeCursor, timedQuery, toTimeCursor, uuid } from '../adminSchemas.ts'
import { defineRead, type Route } from '../defineRoute.ts'
import { listMails, mailStates } from '../reads/listMails.ts'

const mail = z.object({
  id: uuid,
  organizationId: uuid,
  kind: z.string(),
  recipient: z.string().describe('Viewers see only the first character and the domain.'),
  state: z.enum(mailStates),
  tries: z.number(),
  nextTryAt: time.nullable().describe('Null once the email was sent or failed.'),
  failure: z
    .string()
    .nullable()
    .describe('Failure class, such as `smtp 550`. Never contains the response of the mail server.'),
  expiresAt: time.describe('The email is not sent after this time.'),
  createdAt: time,
  updatedAt: time,
}) satisfies z.ZodType<AdminMail>

export const mailRoutes: readonly Route[] = [
  defineRead({
    path: '/mails',
    role: 'viewer',
    name: 'mail.list',
    summary: 'Lists emails by time, without their content. Finished emails are kept for a week.',
    params: nothing,
    query: timedQuery({ state: z.enum(mailStates).optional() }),
    response: pageResponse('Emails.', mail),
    async run({ db, operator }, { query }) {
      const { rows, next } = await readPage({
        query,
        place: timeCursor,
        toPlace: toTimeCursor<MailRow>,
        read: (limit, after) => listMails(db, { state: query.state, order: query.order, limit, after }),
      })
      const show = addressesFor(operator)
      return { items: rows.map((row) => ({ ...toMail(row), recipient: show(row.recipient) })), next }
    },
  }),
]

type MailRow = Awaited<ReturnType<typeof listMails>>[number]

function toMail(row: MailRow): Omit<z.input<typeof mail>, 'recipient'> {
  return {
    id: row.id,
    organizationId: row.org_id,
    kind: row.template,
    state: row.state,
    tries: row.tries,
    nextTryAt: row.state === 'queued' ? row.next_try_at.toISOString() : null,
    failure: row.failure,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
