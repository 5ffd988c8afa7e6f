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
  projectId: z
    .string()
    .nullable()
    .describe('Null if our paymaster paid for the operation but none of our signatures for it is known.'),
  policyId: z.string().nullable(),
  chainId: z.number(),
  entryPoint: address,
  sender: address,
  nonce: decimal,
  paymaster: address.nullable().describe('Null if the account pays for itself.'),
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
  confirmed: z.boolean().describe('Whether enough blocks follow its block for the operation to be final.'),
  resends: z.number().describe('Number of times the operation was sent to a bundler again.'),
  createdAt: time,
  updatedAt: time,
  timeline: timeline.describe('Time at which the operation entered each state, oldest first.'),
}) satisfies z.ZodType<AdminOperation>

const change = z.object({
  kind: z.enum(['transfer', 'approval']),
  standard: z.enum(['native', 'ERC-20', 'ERC-721', 'ERC-20 or ERC-721', 'ERC-1155', 'ERC-721 or ERC-1155']),
  contract: address.nullable().describe("Token contract, or null for the chain's native currency."),
  from: address,
  to: address,
  amount: decimal.nullable().describe('Amount in base units. Null for an NFT or for the whole balance.'),
  tokenId: decimal.nullable(),
})

const shown = operation.extend({
  validUntil: time.nullable(),
  blockTime: time.nullable(),
  explanation: z
    .object({ code: z.string(), what: z.string(), hint: z.string(), reason: z.string().nullable() })
    .nullable()
    .describe('Why the operation failed, and what to do. Null if it did not fail or the reason is unknown.'),
  outcome: z
    .object({
      changes: z.array(change),
      count: z.number().describe('Number of all changes. The first 100 are listed.'),
    })
    .nullable()
    .describe(
      'Balance changes from the token logs in its receipt. Null if the operation is in no block or its receipt was not read.',
    ),
  events: z
    .array(z.object({ id: z.string(), state: z.enum(operationStates), confirmed: z.boolean(), at: time }))
    .describe('Stored state changes, oldest first, including those that a reorganization reverted.'),
}) satisfies z.ZodType<AdminShownOperation>

const call = z.object({
  to: address,
  value: decimal,
  selector: z.string().nullable(),
  signature: z.string().nullable().describe('Signature of the function that is commonly known by this selector.'),
  arguments: z.array(z.object({ name: z.string(), type: z.string(), value: z.string() })),
  data: z.string(),
})
const asked = z.object({
  callData: z.string().nullable().describe('Null if the call data is not stored.'),
  count: z.number(),
  calls: z.array(call).nullable().describe('The first 100 calls. Null if the call data could not be decoded.'),
  changes: z
    .array(change)
    .describe('Changes that the calls request. `outcome` of the operation has the actual changes.'),
}) satisfies z.ZodType<AdminOperationCalls>

const hashParams = z.strictObject({ userOpHash: hash })
const timeCursor = z.strictObject({ micros: z.string().regex(/^\d{1,16}$/), userOpHash: hash })
const gasPlace = z.strictObject({ gas: decimal, userOpHash: hash })

export const operationRoutes: readonly Route[] = [
  defineRead({
    path: '/operations',
    role: 'viewer',
    name: 'operation.list',
    summary: 'Lists operations by time or by gas used.',
    params: nothing,
    query: timedQuery({
      projectId: z.string().max(128).optional(),
      policyId: z.string().max(128).optional().describe('Requires `projectId`.'),
      chainId: z
        .string()
        .regex(/^[1-9]\d{0,14}$/)
        .transform(Number)
        .optional(),
      sender: address.optional(),
      state: z.enum(operationStates).optional(),
      from: time.optional().describe('Returns operations created at or after this time.'),
      to: time.optional().describe('Returns operations created before this time.'),
      order: z
        .enum(['newest', 'oldest', 'most-gas', 'least-gas'])
        .default('newest')
        .describe(
          'Sort order. Sorting by gas requires `projectId` and returns only operations in a block. A cursor is valid only for the order it was created with.',
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
    summary: 'Returns an operation with its timeline.',
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
    summary: 'Decodes the calls of a sent operation. Never returns its signature.',
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
      'Schedules a resend of an operation that a bundler accepted. A gateway sends the same bytes at its next check.',
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
      "Streams state changes of a project's operations as server-sent events, from now on or after the Last-Event-ID header. The stream ends after ten minutes; reconnect.",
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
