import type { AdminOperation, AdminOperationCalls, AdminShownOperation } from 'latchkey-protocol/admin'
import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { listOperationEvents } from '../../store/operations.ts'
import {
  address,
  hash,
  nothing,
  operationStates,
  pageResponse,
  projectParams,
  readPage,
  time,
  timedQuery,
  wei,
} from '../adminSchemas.ts'
import { type CallContext, defineRead, defineStream, defineWrite, type Route } from '../defineRoute.ts'
import { describeCalls } from '../describeCalls.ts'
import { explainOperation } from '../explainOperation.ts'
import {
  type ListedOperation,
  listOperations,
  type OperationGasPlace,
  type OperationPlace,
  type ReadOperation,
  readCallData,
  readOperation,
  requestResend,
} from '../reads/listOperations.ts'

const decimal = z.string().regex(/^\d{1,78}$/)
const timeline = z.array(z.object({ state: z.enum([...operationStates, 'confirmed']), at: time }))
const operation = z.object({
  userOpHash: hash,
  projectId: z.string().nullable().describe('Null: our paymaster paid it, and no signature of ours is known.'),
  policyId: z.string().nullable(),
  chainId: z.number(),
  entryPoint: address,
  sender: address,
  nonce: decimal,
  paymaster: address.nullable().describe('Null: the account itself.'),
  state: z.enum(operationStates),
  failure: z.string().nullable(),
  replacedBy: hash.nullable(),
  maxCost: wei.nullable(),
  actualGasCost: wei.nullable(),
  actualGasUsed: decimal.nullable(),
  success: z.boolean().nullable(),
  blockNumber: decimal.nullable(),
  blockHash: hash.nullable(),
  transactionHash: hash.nullable(),
  confirmed: z.boolean().describe('So many blocks are on top of its block that it stays.'),
  resends: z.number().describe('How often it was sent to a bundler again.'),
  createdAt: time,
  updatedAt: time,
  timeline: timeline.describe('When it came into each state, oldest first.'),
}) satisfies z.ZodType<AdminOperation>

const change = z.object({
  kind: z.enum(['transfer', 'approval']),
  standard: z.enum(['native', 'ERC-20', 'ERC-721', 'ERC-20 or ERC-721', 'ERC-1155', 'ERC-721 or ERC-1155']),
  contract: address.nullable().describe("The token; null for the chain's coin."),
  from: address,
  to: address,
  amount: decimal.nullable().describe('Least units; null for a piece and for all there are.'),
  tokenId: decimal.nullable(),
})

const shown = operation.extend({
  validUntil: time.nullable(),
  blockTime: time.nullable(),
  explanation: z
    .object({ code: z.string(), what: z.string(), hint: z.string(), reason: z.string().nullable() })
    .nullable()
    .describe('Why it did not do what it asks for, and what to do. Null: nothing went wrong, or nobody said why.'),
  outcome: z
    .object({ changes: z.array(change), count: z.number().describe('Of all changes; the first hundred are listed.') })
    .nullable()
    .describe("What tokens' logs in its receipt say. Null: it is in no block, or its receipt is not read."),
  events: z
    .array(z.object({ id: z.string(), state: z.enum(operationStates), confirmed: z.boolean(), at: time }))
    .describe('Its changes that are still kept, oldest first, with those that a reorganisation took back.'),
}) satisfies z.ZodType<AdminShownOperation>

const call = z.object({
  to: address,
  value: decimal,
  selector: z.string().nullable(),
  signature: z.string().nullable().describe('Of the function that is commonly known by this selector.'),
  arguments: z.array(z.object({ name: z.string(), type: z.string(), value: z.string() })),
  data: z.string(),
})
const asked = z.object({
  callData: z.string().nullable().describe('Null: no bytes of it are kept.'),
  count: z.number(),
  calls: z.array(call).nullable().describe('The first hundred; null where the call data could not be decoded.'),
  changes: z.array(change).describe('What the calls ask for; what happened is in `outcome` of the operation.'),
}) satisfies z.ZodType<AdminOperationCalls>

const hashParams = z.strictObject({ userOpHash: hash })
const timeCursor = z.strictObject({ micros: z.string().regex(/^\d{1,16}$/), userOpHash: hash })
const gasPlace = z.strictObject({ gas: decimal, userOpHash: hash })

export const operationRoutes: readonly Route[] = [
  defineRead({
    path: '/operations',
    role: 'viewer',
    name: 'operation.list',
    summary: 'Lists operations by time, or by the gas that they used.',
    params: nothing,
    query: timedQuery({
      projectId: z.string().max(128).optional(),
      policyId: z.string().max(128).optional().describe('With its project.'),
      chainId: z
        .string()
        .regex(/^[1-9]\d{0,14}$/)
        .transform(Number)
        .optional(),
      sender: address.optional(),
      state: z.enum(operationStates).optional(),
      from: time.optional().describe('Created at or after.'),
      to: time.optional().describe('Created before.'),
      order: z
        .enum(['newest', 'oldest', 'most-gas', 'least-gas'])
        .default('newest')
        .describe(
          'Which come first. By gas with a project, and those alone that are in a block. A cursor is for the order that it was made in.',
        ),
    })
      .refine(({ policyId, projectId }) => policyId === undefined || projectId !== undefined, {
        message: 'needs projectId',
        path: ['policyId'],
      })
      .refine(({ order, projectId }) => !isByGas(order) || projectId !== undefined, {
        message: 'needs projectId',
        path: ['order'],
      }),
    response: pageResponse('Operations.', operation),
    async run({ db }, { query }) {
      const { projectId, policyId, chainId, sender, state, order } = query
      const from = query.from === undefined ? undefined : new Date(query.from)
      const to = query.to === undefined ? undefined : new Date(query.to)
      const { rows, next } = await readPage<listOperations.ReturnType[number], OperationPlace | OperationGasPlace>({
        query,
        place: isByGas(order) ? gasPlace : timeCursor,
        toPlace: ({ micros, actual_gas_used: gas, user_op_hash: userOpHash }) =>
          isByGas(order) && gas !== null ? { gas, userOpHash } : { micros, userOpHash },
        read: (limit, after) =>
          listOperations(db, { projectId, policyId, chainId, sender, state, from, to, order, limit, after }),
      })
      return { items: rows.map(toResponse), next }
    },
  }),
  defineRead({
    path: '/operations/{userOpHash}',
    role: 'viewer',
    name: 'operation.show',
    summary: 'Shows an operation with its timeline.',
    params: hashParams,
    query: nothing,
    response: shown,
    errors: ['NOT_FOUND'],
    run: ({ db }, { params }) => show(db, params.userOpHash),
  }),
  defineRead({
    path: '/operations/{userOpHash}/calls',
    role: 'viewer',
    name: 'operation.calls',
    summary: 'Decodes what an operation that was sent asks its account for. Never its signature.',
    params: hashParams,
    query: nothing,
    response: asked,
    errors: ['NOT_FOUND'],
    async run({ db }, { params: { userOpHash } }) {
      const { sender } = await find(db, userOpHash)
      return describeCalls(sender, await readCallData(db, userOpHash))
    },
  }),
  defineWrite({
    method: 'post',
    path: '/operations/{userOpHash}/resend',
    role: 'operator',
    name: 'operation.resend',
    summary:
      'Has a gateway send the same bytes to a bundler again, at its next look: of an operation that a bundler took.',
    params: hashParams,
    query: nothing,
    body: nothing,
    response: shown,
    status: 202,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    run: resend,
  }),
  defineStream({
    path: '/projects/{projectId}/operations/events',
    role: 'viewer',
    name: 'operation.events',
    summary:
      "Changes of a project's operations as server-sent events, from now on or after the header Last-Event-ID. Ends after ten minutes; connect again.",
    params: projectParams,
    query: nothing,
    run: ({ stream }, { params }) => stream(params.projectId),
  }),
]

const isByGas = (order: string) => order.endsWith('-gas')

async function resend({ db }: CallContext, { params: { userOpHash } }: { params: z.output<typeof hashParams> }) {
  const { state, projectId } = await show(db, userOpHash)
  if (!(await requestResend(db, userOpHash)))
    throw new ServerError(
      `Only an operation that a bundler took and that is in no block yet can be sent again; this one is ${state}.`,
      { code: 'STATE_CONFLICT', status: 409 },
    )
  return { body: await show(db, userOpHash), projectId: projectId ?? undefined }
}

async function find(db: Db, userOpHash: string): Promise<ReadOperation> {
  const row = await readOperation(db, userOpHash)
  if (!row) throw new ServerError('There is no such operation in the log.', { code: 'NOT_FOUND', status: 404 })
  return row
}

async function show(db: Db, userOpHash: string): Promise<z.input<typeof shown>> {
  const row = await find(db, userOpHash)
  const { project_id: projectId } = row
  // Ignores receipts of reorganized blocks.
  const outcome = row.outcome_block !== null && row.outcome_block === row.block_hash ? row.outcome : null
  const events =
    projectId === null
      ? []
      : await listOperationEvents(db, { projectId, userOpHash: row.user_op_hash, after: '0', limit: 200 })
  return {
    ...toResponse(row),
    validUntil: row.valid_until?.toISOString() ?? null,
    blockTime: row.block_time?.toISOString() ?? null,
    explanation: explainOperation(row, outcome?.revertData ?? null),
    outcome: outcome && { changes: outcome.changes, count: outcome.count },
    events: events.map(({ id, state, confirmed, created_at }) => ({
      id,
      state,
      confirmed,
      at: created_at.toISOString(),
    })),
  }
}

function toTimeline(row: ListedOperation): z.input<typeof timeline> {
  const ended = operationStates.indexOf(row.state) >= operationStates.indexOf('included') ? row.ended_at : null
  const steps = [
    ['prepared', row.prepared_at],
    ['signed', row.signed_at],
    ['sent', row.sent_at],
    ['seen', row.seen_at],
    [row.state, ended],
    ['confirmed', row.confirmed_at],
  ] as const
  return steps.flatMap(([state, at]) => (at ? [{ state, at: at.toISOString() }] : []))
}

function toResponse(row: ListedOperation): z.input<typeof operation> {
  return {
    userOpHash: row.user_op_hash,
    projectId: row.project_id,
    policyId: row.policy_id,
    chainId: Number(row.chain_id),
    entryPoint: row.entry_point,
    sender: row.sender,
    nonce: row.nonce,
    paymaster: row.paymaster,
    state: row.state,
    failure: row.failure,
    replacedBy: row.replaced_by,
    maxCost: row.max_cost,
    actualGasCost: row.actual_gas_cost,
    actualGasUsed: row.actual_gas_used,
    success: row.success,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    transactionHash: row.transaction_hash,
    confirmed: row.confirmed_at !== null,
    resends: row.resends,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    timeline: toTimeline(row),
  }
}
