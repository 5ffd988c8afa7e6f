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
  genuine: z
    .boolean()
    .describe('False if the row was not written by this server. Such a key is rejected; investigate it.'),
}) satisfies z.ZodType<AdminOperator>
const consoleOperator = z.object({
  id: z.string(),
  name: z.string(),
  role,
  passkeys: z.int().describe('Number of passkeys that can sign in to the console.'),
  sessions: z.int().describe('Number of open sessions.'),
}) satisfies z.ZodType<AdminConsoleOperator>
const withSecret = z.object({ operator, secret: z.string().describe('The key. It is returned only once.') })
const operatorParams = z.strictObject({ operatorId: uuid })

const entry = z.object({
  seq: z.string(),
  at: time,
  operatorId: z.string(),
  operatorName: z.string(),
  role: z.string(),
  action: z.string(),
  projectId: z.string().nullable(),
  target: z.string().nullable().describe('Id of the affected object.'),
  outcome: z.enum(['done', 'refused']),
  code: z.string().nullable().describe('Error code, if the call was refused.'),
  beforeDigest: z
    .string()
    .nullable()
    .describe('SHA-256 of the object as this API returns it, as JSON with sorted keys.'),
  afterDigest: z.string().nullable(),
  requestId: z.string().nullable(),
}) satisfies z.ZodType<AdminLogEntry>

const seq = z.string().regex(/^\d{1,19}$/)
const chain = z.object({
  head: z
    .object({ seq, mac: z.string().regex(/^[0-9a-f]{64}$/) })
    .nullable()
    .describe('Last entry of the log, to store elsewhere. Null if the log is empty.'),
  checkedFrom: seq.nullable().describe('Oldest entry that was checked against its predecessor.'),
  bad: seq.nullable().describe('First entry that was changed or is missing. Null if all checked entries are intact.'),
}) satisfies z.ZodType<AdminLogChain>

export const operatorRoutes: readonly Route[] = [
  defineRead({
    path: '/operator',
    role: 'viewer',
    name: 'operator.self',
    summary: 'Returns the owner and the role of the key of this call.',
    params: nothing,
    query: nothing,
    response: z.object({ id: z.string(), name: z.string(), role }),
    run: async ({ operator: self }) => self,
  }),
  defineRead({
    path: '/operators',
    role: 'admin',
    name: 'operator.list',
    summary: 'Lists at most 500 operator keys, newest first, including ended ones.',
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
    summary: 'Creates a key for an operator.',
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
    summary:
      'Rotates an operator key: creates a key with the same name and role. The old key works until the overlap ends.',
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
    summary: 'Revokes an operator key. It stops working immediately on every copy.',
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
    summary: 'Lists the operators who can sign in to the console by passkey, as configured.',
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
    summary: 'Ends all sessions of an operator immediately on every copy.',
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
    summary: 'Signs out: ends the session used for this call. Does not revoke a key.',
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
    summary: 'Lists completed and refused operator actions by time.',
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
    summary: `Checks the newest ${adminBounds.checkedEntries} log entries and returns the last one. \`operators verify\` checks all.`,
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
