import { type AdminMail, operatorRoles } from 'latchkey/wire'
import { z } from 'zod'
import { listMails, mailStates } from '../../store/listMails.ts'
import { defineRead, type Route } from '../defineRoute.ts'
import { nothing, pageQuery, pageResponse, readPage, time, timePlace, toTimePlace, uuid } from '../schemas.ts'

const mail = z.object({
  id: uuid,
  organizationId: uuid,
  kind: z.string(),
  recipient: z.string().describe('For viewers only the first character and the domain.'),
  state: z.enum(mailStates),
  tries: z.number(),
  nextTryAt: time.nullable().describe('Null: it has ended.'),
  failure: z.string().nullable().describe('A class, such as `smtp 550`: never what the mail server said.'),
  expiresAt: time.describe('It is not sent after this.'),
  createdAt: time,
  updatedAt: time,
}) satisfies z.ZodType<AdminMail>

export const mailRoutes: readonly Route[] = [
  defineRead({
    path: '/mails',
    role: 'viewer',
    name: 'mail.list',
    summary: 'Lists mails, newest first, without what they say. Those that ended are kept for a week.',
    params: nothing,
    query: pageQuery({ state: z.enum(mailStates).optional() }),
    response: pageResponse('Mails.', mail),
    async run({ db, operator }, { query }) {
      const { rows, next } = await readPage({
        query,
        place: timePlace,
        toPlace: toTimePlace<MailRow>,
        read: (limit, after) => listMails(db, { state: query.state, limit, after }),
      })
      const showsRecipient = operatorRoles.indexOf(operator.role) >= operatorRoles.indexOf('operator')
      return { items: rows.map((row) => toMail(row, showsRecipient)), next }
    },
  }),
]

type MailRow = Awaited<ReturnType<typeof listMails>>[number]

function toMail(row: MailRow, showsRecipient: boolean): z.input<typeof mail> {
  return {
    id: row.id,
    organizationId: row.org_id,
    kind: row.template,
    recipient: showsRecipient ? row.recipient : maskAddress(row.recipient),
    state: row.state,
    tries: row.tries,
    nextTryAt: row.state === 'queued' ? row.next_try_at.toISOString() : null,
    failure: row.failure,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** `a***@example.com`: enough to tell which mailbox service has trouble. */
function maskAddress(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 0 ? '***' : `${at > 1 ? address.slice(0, 1) : ''}***${address.slice(at)}`
}
