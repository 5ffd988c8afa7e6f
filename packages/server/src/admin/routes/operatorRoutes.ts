import {
  type AdminConsoleOperator,
  type AdminLogChain,
  type AdminLogEntry,
  type AdminOperator,
  operatorRoles,
} from 'latchkey-protocol/admin'
import { z } from 'zod'
import { listOperatorLog, type OperatorLogEntry, verifyOperatorLogEnd } from '../../store/operatorLog.ts'
import { countOperatorSessions, endOperatorSessions } from '../../store/operatorSessions.ts'
import {
  createOperator,
  endOperator,
  listOperators,
  rotateOperator,
  type StoredOperator,
} from '../../store/operators.ts'
import { adminBounds } from '../adminLimits.ts'
import { nothing, pageResponse, readPage, time, timedQuery, uuid } from '../adminSchemas.ts'
import { defineRead, defineWrite, type Route } from '../defineRoute.ts'

const role = z.enum(operatorRoles)
const operator = z.object({
  id: uuid,
  name: z.string(),
  role,
  createdAt: time,
  expiresAt: time.nullable(),
  removedAt: time.nullable(),
  genuine: z.boolean().describe('False: the row was written past the server. It opens nothing; look into it.'),
}) satisfies z.ZodType<AdminOperator>
const consoleOperator = z.object({
  id: z.string(),
  name: z.string(),
  role,
  passkeys: z.int().describe('How many open the console.'),
  sessions: z.int().describe('How many are open.'),
}) satisfies z.ZodType<AdminConsoleOperator>
const withSecret = z.object({ operator, secret: z.string().describe('The key itself, shown this once.') })
const operatorParams = z.strictObject({ operatorId: uuid })

const entry = z.object({
  seq: z.string(),
  at: time,
  operatorId: z.string(),
  operatorName: z.string(),
  role: z.string(),
  action: z.string(),
  projectId: z.string().nullable(),
  target: z.string().nullable().describe('Id of what it was done to.'),
  outcome: z.enum(['done', 'refused']),
  code: z.string().nullable().describe('Error code of a refusal.'),
  beforeDigest: z.string().nullable().describe('SHA-256 of the JSON with sorted names, as this API shows it.'),
  afterDigest: z.string().nullable(),
  requestId: z.string().nullable(),
}) satisfies z.ZodType<AdminLogEntry>

const seq = z.string().regex(/^\d{1,19}$/)
const chain = z.object({
  head: z
    .object({ seq, mac: z.string().regex(/^[0-9a-f]{64}$/) })
    .nullable()
    .describe('The end of the log, to be kept elsewhere. Null: it is empty.'),
  checkedFrom: seq.nullable().describe('The oldest entry that was held against the one before it.'),
  bad: seq.nullable().describe('The first entry that is not as it was written, or that is missing. Null: all hold.'),
}) satisfies z.ZodType<AdminLogChain>

export const operatorRoutes: readonly Route[] = [
  defineRead({
    path: '/operator',
    role: 'viewer',
    name: 'operator.self',
    summary: 'Shows whose key this is, and its role.',
    params: nothing,
    query: nothing,
    response: z.object({ id: z.string(), name: z.string(), role }),
    run: async ({ operator: self }) => self,
  }),
  defineRead({
    path: '/operators',
    role: 'admin',
    name: 'operator.list',
    summary: 'Lists the keys of operators, newest first, ended ones included; at most 500.',
    params: nothing,
    query: nothing,
    response: z.object({ items: z.array(operator) }),
    run: async ({ db, key }) => ({ items: (await listOperators(db, { key })).map(toResponse) }),
  }),
  defineWrite({
    method: 'post',
    path: '/operators',
    role: 'admin',
    name: 'operator.create',
    summary: 'Makes a key of an operator.',
    params: nothing,
    query: nothing,
    body: z.strictObject({ name: z.string().trim().min(1).max(128), role, expiresAt: time.optional() }),
    response: withSecret,
    status: 201,
    async run({ db, key, now }, { body: { name, role, expiresAt } }) {
      const end = expiresAt === undefined ? undefined : new Date(expiresAt)
      const made = await createOperator(db, { key, now, name, role, expiresAt: end })
      const after = toResponse(made.operator)
      return { body: { operator: after, secret: made.secret }, target: after.id, after }
    },
  }),
  defineWrite({
    method: 'post',
    path: '/operators/{operatorId}/rotate',
    role: 'admin',
    name: 'operator.rotate',
    summary: 'Makes a key with the name and the role of another, which goes on working for a while.',
    params: operatorParams,
    query: nothing,
    body: z.strictObject({ overlapSeconds: z.int().min(0).max(2_592_000).default(3_600) }),
    response: withSecret,
    status: 201,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    async run({ db, key, now }, { params, body }) {
      const afterMs = body.overlapSeconds * 1000
      const made = await rotateOperator(db, { key, now, id: params.operatorId, afterMs })
      const after = toResponse(made.operator)
      return { body: { operator: after, secret: made.secret }, before: toResponse(made.before), after }
    },
  }),
  defineWrite({
    method: 'delete',
    path: '/operators/{operatorId}',
    role: 'admin',
    name: 'operator.remove',
    summary: 'Ends a key of an operator, at once on every copy.',
    params: operatorParams,
    query: nothing,
    body: nothing,
    response: operator,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    async run({ db, key, now }, { params }) {
      const ended = await endOperator(db, { key, now, id: params.operatorId })
      const after = toResponse(ended.after)
      return { body: after, before: toResponse(ended.before), after }
    },
  }),
  defineRead({
    path: '/console-operators',
    role: 'admin',
    name: 'operator.listConfigured',
    summary: 'Lists who signs in to the console by passkey, as the configuration says.',
    params: nothing,
    query: nothing,
    response: z.object({ items: z.array(consoleOperator) }),
    run: async ({ db, now, passkeyOperators }) => {
      const sessions = await countOperatorSessions(db, now())
      return {
        items: passkeyOperators.map(({ id, name, role, passkeys }) => ({
          id,
          name,
          role,
          passkeys: passkeys.length,
          sessions: sessions.get(id) ?? 0,
        })),
      }
    },
  }),
  defineWrite({
    method: 'post',
    path: '/console-operators/{operatorId}/sign-out',
    role: 'admin',
    name: 'operator.signOut',
    summary: 'Ends all sessions of an operator, at once on every copy.',
    params: operatorParams,
    query: nothing,
    body: nothing,
    response: z.object({ ended: z.int() }),
    async run({ db }, { params }) {
      const ended = await endOperatorSessions(db, params)
      return { body: { ended }, after: { ended } }
    },
  }),
  defineWrite({
    method: 'delete',
    path: '/session',
    role: 'viewer',
    name: 'session.end',
    summary: 'Signs out: ends the session that is the bearer of this call. A key is not ended by it.',
    params: nothing,
    query: nothing,
    body: nothing,
    response: z.object({ ended: z.int() }),
    async run({ db, sessionId }) {
      const ended = sessionId === undefined ? 0 : await endOperatorSessions(db, { id: sessionId })
      return { body: { ended }, target: sessionId }
    },
  }),
  defineRead({
    path: '/log',
    role: 'viewer',
    name: 'log.list',
    summary: 'Lists what operators did and were refused, by time.',
    params: nothing,
    query: timedQuery({ projectId: z.string().max(128).optional(), operatorId: z.string().max(128).optional() }),
    response: pageResponse('Entries.', entry),
    async run({ db }, { query }) {
      const { projectId, operatorId, order } = query
      const { rows, next } = await readPage({
        query,
        place: z.strictObject({ seq: z.string().regex(/^\d{1,18}$/) }),
        toPlace: ({ seq }: OperatorLogEntry) => ({ seq }),
        read: (limit, after) => listOperatorLog(db, { projectId, operatorId, order, limit, after: after?.seq }),
      })
      return { items: rows.map(toEntry), next }
    },
  }),
  defineRead({
    path: '/log/chain',
    role: 'viewer',
    name: 'log.chain',
    summary: `Holds the newest ${adminBounds.checkedEntries} entries of the log against each other, and shows its end. \`operators verify\` proves all.`,
    params: nothing,
    query: nothing,
    response: chain,
    run: ({ db, key }) => verifyOperatorLogEnd(db, { key, most: adminBounds.checkedEntries }),
  }),
]

function toResponse({ createdAt, expiresAt, removedAt, isGenuine, ...rest }: StoredOperator): z.input<typeof operator> {
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    removedAt: removedAt?.toISOString() ?? null,
    genuine: isGenuine,
  }
}

function toEntry(row: OperatorLogEntry): z.input<typeof entry> {
  return {
    seq: row.seq,
    at: row.at.toISOString(),
    operatorId: row.operator_id,
    operatorName: row.operator_name,
    role: row.role,
    action: row.action,
    projectId: row.project_id,
    target: row.target,
    outcome: row.outcome,
    code: row.code,
    beforeDigest: row.before_digest,
    afterDigest: row.after_digest,
    requestId: row.request_id,
  }
}
