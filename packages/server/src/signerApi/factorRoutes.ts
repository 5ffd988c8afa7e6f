import { type Context, Hono } from 'hono'
import { custodyPaths, factorPaths } from 'latchkey-protocol'
import { z } from 'zod'
import { readJson } from '../platform/http/requestBody.ts'
import type { createFactorStep } from './createFactorStep.ts'
import { readResult } from './custodyClient.ts'
import type { Caller } from './requireProject.ts'
import { requireOrganization, requirePath, type stampedRoutes, stampedSchema } from './stampedRoutes.ts'

export declare namespace factorRoutes {
  type Deps = stampedRoutes.Deps & { factorStep: createFactorStep.ReturnType }
}

export const validateSchema = z.object({
  encryptedPayload: z.string().min(1).max(49_152),
  multiFactors: z
    .array(z.object({ multiFactorId: z.uuid(), multiFactorCode: z.string().min(1).max(64) }))
    .min(1)
    .max(1),
})
const id = z.uuid()
export const factorWordSchemas = {
  list: stampedSchema,
  request: stampedSchema.extend({ multiFactorType: z.literal('totp') }),
  verify: stampedSchema.extend({ multiFactorId: id, multiFactorCode: z.string().min(1).max(64) }),
  remove: stampedSchema.extend({ multiFactorIds: z.array(id).min(1).max(1) }),
} as const

const factorsSchema = z.array(z.object({ multiFactorId: z.string(), multiFactorType: z.literal('totp') }))
const listedSchema = z.object({ multiFactors: factorsSchema })
const resultSchemas = {
  list: listedSchema,
  request: z.object({
    multiFactorId: z.string(),
    multiFactorType: z.literal('totp'),
    multiFactorTotpUrl: z.string(),
  }),
  verify: listedSchema,
  remove: listedSchema,
} as const
const custodyCalls = {
  list: 'list_multi_factors_by_word',
  request: 'create_multi_factor_by_word',
  verify: 'activate_multi_factor_by_word',
  remove: 'delete_multi_factors_by_word',
} as const

/**
 * Adds the second factor of a sign-in, and the changes of factors as published clients ask for them: by a stamped word
 * (`docs/wire/signer.md`). Custody checks the word; it is never sent to the call that it was stamped for.
 */
export function factorRoutes(deps: factorRoutes.Deps): Hono<Caller> {
  const routes = new Hono<Caller>()
  routes.post(factorPaths.validate, async (context) => {
    const { encryptedPayload, multiFactors } = await readJson(context.req.raw, validateSchema)
    const { project } = context.var
    const limit = (orgId: string) => deps.limits.takeRequest(orgId)
    const asked = { project, asker: context.var, multiFactors, limit }
    return context.json(await deps.factorStep.validate(encryptedPayload, asked))
  })
  for (const kind of ['list', 'request', 'verify', 'remove'] as const)
    routes.post(factorPaths[kind], async (context) => context.json(await passOn(deps, context, kind)))
  return routes
}

async function passOn(
  { db, custody, limits }: factorRoutes.Deps,
  context: Context<Caller>,
  kind: keyof typeof custodyCalls,
): Promise<object> {
  const { stampedRequest, ...given } = await readJson(context.req.raw, factorWordSchemas[kind])
  requirePath(stampedRequest, custodyPaths.signRawPayload)
  const { body, stamp } = stampedRequest
  const { orgId } = await requireOrganization(db, { project: context.var.project, body })
  await limits.takeRequest(orgId)
  const call = custodyCalls[kind]
  const parameters = { stampedRequest: { body, stamp }, ...given }
  const activity = custody.serialize(`ACTIVITY_TYPE_${call.toUpperCase()}`, orgId, parameters)
  const { result } = await custody.redeem(`/public/v1/submit/${call}`, activity, context.var)
  return readResult(resultSchemas[kind], Object.values(result)[0])
}
