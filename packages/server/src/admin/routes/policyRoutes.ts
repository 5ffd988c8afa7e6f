import type { AdminPolicy } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { policyRulesSchema } from '../../store/ledger/policyRules.ts'
import { nothing, pageQuery, pageResponse, projectParams, readPage, time } from '../adminSchemas.ts'
import { type CallContext, defineRead, defineWrite, type Route } from '../defineRoute.ts'
import { evaluatePolicy, operationSchema, verdictSchema } from '../evaluatePolicy.ts'
import { changePolicy, createPolicy, listPolicies, readPolicy, type StoredPolicy } from '../reads/changePolicies.ts'

const policy = z.object({
  id: z.string(),
  projectId: z.string(),
  isDefault: z.boolean().describe('Whether the policy applies to clients that name none.'),
  paused: z.boolean(),
  rules: policyRulesSchema,
  version: z.string().describe('Version of the policy. Send it as If-Match.'),
  source: z
    .enum(['file', 'operators'])
    .describe(
      '`file` if rules and default come from the policies file. These are read-only here, but the policy can be paused.',
    ),
  changedBy: z.string().nullable().describe('Null if the configuration changed it.'),
  changedAt: time,
  createdAt: time,
}) satisfies z.ZodType<AdminPolicy>
type PolicyBody = z.input<typeof policy>

const policyParams = projectParams.extend({ policyId: z.string().min(1).max(128) })
const newId = z.string().regex(/^[\w.-]{1,64}$/, 'must have 1 to 64 letters, digits, dots, hyphens or underscores')
const toVersion = ({ version }: PolicyBody) => version

export const policyRoutes: readonly Route[] = [
  defineRead({
    path: '/projects/{projectId}/policies',
    role: 'viewer',
    name: 'policy.list',
    summary: 'Lists the gas policies of a project, by id.',
    params: projectParams,
    query: pageQuery({}),
    response: pageResponse('Gas policies.', policy),
    async run({ db }, { params, query }) {
      const { rows, next } = await readPage({
        query,
        place: z.strictObject({ id: z.string() }),
        toPlace: ({ id }: StoredPolicy) => ({ id }),
        read: (limit, after) => listPolicies(db, params.projectId, { limit, after: after?.id }),
      })
      return { items: rows.map(toResponse), next }
    },
  }),
  defineRead({
    path: '/projects/{projectId}/policies/{policyId}',
    role: 'viewer',
    name: 'policy.show',
    summary: 'Returns a gas policy.',
    params: policyParams,
    query: nothing,
    response: policy,
    version: toVersion,
    errors: ['NOT_FOUND'],
    run: async ({ db }, { params }) => toResponse(await readPolicy(db, toPlace(params))),
  }),
  defineWrite({
    method: 'post',
    path: '/projects/{projectId}/policies',
    role: 'operator',
    name: 'policy.create',
    summary: 'Creates a gas policy. It is not the default policy.',
    params: projectParams,
    query: nothing,
    body: z.strictObject({ id: newId, paused: z.boolean().default(false), rules: policyRulesSchema.prefault({}) }),
    response: policy,
    version: toVersion,
    status: 201,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    async run({ db, operator }, { params, body }) {
      const after = toResponse(await createPolicy(db, { ...params, ...body, changedBy: operator.name }))
      return { body: after, target: body.id, after }
    },
  }),
  defineWrite({
    method: 'put',
    path: '/projects/{projectId}/policies/{policyId}',
    role: 'operator',
    name: 'policy.update',
    summary: 'Replaces the rules of a gas policy, unless the policy changed since it was read.',
    params: policyParams,
    query: nothing,
    body: z.strictObject({ rules: policyRulesSchema }),
    response: policy,
    version: toVersion,
    needsVersion: true,
    errors: ['NOT_FOUND', 'VERSION_MISSING', 'VERSION_CONFLICT', 'CONFIGURED_IN_FILE'],
    run: (context, { params, body, version }) => change(context, { ...toPlace(params), version, change: body }),
  }),
  ...(['pause', 'resume'] as const).map((verb) =>
    defineWrite({
      method: 'post',
      path: `/projects/{projectId}/policies/{policyId}/${verb}`,
      role: 'operator',
      name: `policy.${verb}`,
      summary:
        verb === 'pause'
          ? 'Pauses a gas policy. Every gateway copy immediately stops sponsoring operations under it.'
          : 'Resumes a gas policy.',
      params: policyParams,
      query: nothing,
      body: nothing,
      response: policy,
      version: toVersion,
      errors: ['NOT_FOUND'],
      run: (context, { params }) => change(context, { ...toPlace(params), change: { paused: verb === 'pause' } }),
    }),
  ),
  defineWrite({
    method: 'post',
    path: '/projects/{projectId}/policies/{policyId}/default',
    role: 'operator',
    name: 'policy.default',
    summary: 'Sets a gas policy as the default of its project.',
    params: policyParams,
    query: nothing,
    body: nothing,
    response: policy,
    version: toVersion,
    errors: ['NOT_FOUND', 'CONFIGURED_IN_FILE'],
    run: (context, { params }) => change(context, { ...toPlace(params), change: { isDefault: true } }),
  }),
  defineWrite({
    method: 'post',
    path: '/projects/{projectId}/policies/{policyId}/test',
    role: 'viewer',
    name: 'policy.test',
    isRead: true,
    summary: 'Evaluates an operation against a gas policy and names the deciding rule. Signs and reserves nothing.',
    params: policyParams,
    query: nothing,
    body: operationSchema,
    response: verdictSchema,
    errors: ['NOT_FOUND'],
    async run({ db, now }, { params, body }) {
      const found = await readPolicy(db, toPlace(params))
      return { body: await evaluatePolicy(db, { policy: found, operation: body, now: now() }) }
    },
  }),
]

async function change(
  { db, operator }: CallContext,
  parameters: Omit<changePolicy.Parameters, 'changedBy'>,
): Promise<{ body: PolicyBody; before: unknown; after: unknown }> {
  const changed = await changePolicy(db, { ...parameters, changedBy: operator.name })
  const after = toResponse(changed.after)
  return { body: after, before: toResponse(changed.before), after }
}

const toPlace = ({ projectId, policyId }: z.output<typeof policyParams>) => ({ projectId, id: policyId })

function toResponse({ isDeclared, changedAt, createdAt, ...rest }: StoredPolicy): PolicyBody {
  return {
    ...rest,
    source: isDeclared ? 'file' : 'operators',
    changedAt: changedAt.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}
