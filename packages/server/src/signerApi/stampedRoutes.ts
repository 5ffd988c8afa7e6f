import { type Context, Hono } from 'hono'
import {
  type Activity,
  custodyPaths,
  headers,
  type SignPayloadResponse,
  type SignRawPayloadResult,
  type StampedRequest,
  signerApiPaths,
  type WhoamiUserResponse,
} from 'latchkey-protocol'
import { type Address, type Hex, isAddress } from 'viem'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import { readJson } from '../platform/http/requestBody.ts'
import { type CustodyClient, readActivity, readResult } from './custodyClient.ts'
import type { Caller, CallerProject } from './requireProject.ts'
import type { createLimits } from './signerApiLimits.ts'
import { findUserProfile, statementSchema } from './users.ts'

const whoamiSchema = z.object({
  organizationId: z.string(),
  userId: z.string(),
  address: z.custom<Address>((value) => typeof value === 'string' && isAddress(value)).optional(),
  account: statementSchema.optional(),
})
const part = z.string().regex(/^[0-9a-f]{64}$/)
const signatureSchema = z.object({
  signRawPayloadResult: z.object({ r: part, s: part, v: z.enum(['00', '01']) }),
})
const waitingSchema = z.object({
  activity: z.object({ status: z.literal('ACTIVITY_STATUS_PENDING'), confirmation: z.object({}) }),
})

export declare namespace stampedRoutes {
  type Deps = { db: Db; custody: CustodyClient; limits: Pick<createLimits.ReturnType, 'takeRequest'> }
}

/** Adds the routes for requests stamped by the user's own key. Custody verifies the stamp. */
export function stampedRoutes(deps: stampedRoutes.Deps): Hono<Caller> {
  const routes = new Hono<Caller>()

  /**
   * Returns the user of a stamp. If the stamp's session key was sent in a mail, custody considers the e-mail address
   * proven. The account address comes from custody, which alone can detect a forged one.
   */
  routes.post(signerApiPaths.whoami, async (context) => {
    const { userId, organizationId, address, account } = readResult(
      whoamiSchema,
      await forward(deps, context, custodyPaths.whoami),
    )
    const parentOrgId = context.get('project').organizationId
    const user = await findUserProfile(deps.db, { userId, orgId: organizationId, parentOrgId })
    if (!user || address === undefined)
      throw new ServerError('No user found for this stamp, or the user has no wallet.', {
        code: 'NO_USER_FOUND',
        status: 404,
      })
    return context.json({
      ...(user.email !== null && { email: user.email }),
      orgId: user.orgId,
      userId: user.userId,
      address,
      ...(account && { account }),
    } satisfies WhoamiUserResponse)
  })

  /** Returns one 65-byte signature, by a stamped `sign_raw_payload`; or the activity that waits for a confirmation. */
  routes.post(signerApiPaths.signPayload, async (context) => {
    const response = await forward(deps, context, custodyPaths.signRawPayload)
    if (waitingSchema.safeParse(response).success) return context.json(response as { activity: Activity })
    const { signRawPayloadResult } = readResult(signatureSchema, readActivity(response).result)
    return context.json({ signature: joinSignature(signRawPayloadResult) } satisfies SignPayloadResponse)
  })

  return routes
}

/** Joins r ‖ s ‖ v, 65 bytes: custody's recovery bit becomes the 27 or 28 that contracts expect. */
export function joinSignature({ r, s, v }: SignRawPayloadResult): Hex {
  return `0x${r}${s}${v === '00' ? '1b' : '1c'}`
}

/**
 * Forwards the stamped request in a body to custody, byte for byte. The stamp must be for the route's path, and the
 * request must concern an organization of the caller's project.
 */
export async function forward(
  deps: stampedRoutes.Deps,
  context: Context<Caller>,
  ...paths: readonly [string, ...string[]]
): Promise<unknown> {
  return (await forwardForAudience(deps, context, ...paths)).response
}

/** Forwards like {@link forward}, and also returns the project id in the stamped body's audience, if any. */
export async function forwardForAudience(
  { db, custody, limits }: stampedRoutes.Deps,
  context: Context<Caller>,
  ...paths: readonly [string, ...string[]]
): Promise<{ response: unknown; audience: string | undefined }> {
  const { project } = context.var
  const { stampedRequest } = await readJson(context.req.raw, stampedSchema)
  const path = requirePath(stampedRequest, ...paths)
  const { orgId, audience } = await requireOrganization(db, { project, body: stampedRequest.body })
  // Passkey sign-ins of all users use the parent organization's id.
  if (orgId !== project.organizationId) await limits.takeRequest(orgId)
  return { response: await custody.forward(path, stampedRequest, context.var), audience }
}

const stampHeaders = [headers.apiKeyStamp, headers.webauthnStamp].map((name) => name.toLowerCase())

export const stampedSchema = z.object({
  stampedRequest: z.object({
    body: z.string().min(2),
    stamp: z.object({
      stampHeaderName: z
        .string()
        .refine((name) => stampHeaders.includes(name.toLowerCase()), 'must be X-Stamp or X-Stamp-Webauthn'),
      stampHeaderValue: z
        .string()
        .max(8192)
        .regex(/^[\x20-\x7e]+$/, 'must be visible ASCII'),
    }),
    url: z.string().max(2048),
  }),
})

/**
 * Returns the custody call of this route for which a request was stamped. Query bodies are interchangeable between
 * calls, so only the path distinguishes them. The host is ignored, since requests go to our own custody.
 */
export function requirePath(request: Pick<StampedRequest, 'url'>, ...paths: readonly [string, ...string[]]): string {
  const stamped = parseUrl(request.url)?.pathname
  // Custody may be served below a path of its host.
  const path = paths.find((each) => stamped?.endsWith(each))
  if (path !== undefined) return path
  throw invalid(`stampedRequest.url must be the custody API's ${paths.join(' or ')}.`)
}

const organizationSchema = z.object({ organizationId: z.uuid(), audience: z.string().optional() })

/**
 * Returns the organization of a stamped body: the project's parent organization, or a sub-organization of it. Throws
 * for organizations of other projects, and for a body whose audience is another project. Custody receives the unchanged
 * text.
 */
export async function requireOrganization(
  db: Db,
  { project, body }: { project: CallerProject; body: string },
): Promise<{ orgId: string; audience: string | undefined }> {
  const parsed = organizationSchema.safeParse(parse(body))
  if (!parsed.success) throw invalid('stampedRequest.body must be JSON with an organizationId that is a UUID.')
  const { organizationId, audience } = parsed.data
  if (audience !== undefined && audience !== project.id)
    throw invalid('stampedRequest.body was stamped for another project. Stamp it in a page of this project.')
  const id = organizationId.toLowerCase()
  return { orgId: id === project.organizationId ? id : await requireChild(db, { project, orgId: id }), audience }
}

/** Returns the id of a sub-organization of the project's parent. Responds "not found" for those of other parents. */
export async function requireChild(
  db: Db,
  { project, orgId }: { project: CallerProject; orgId: string },
): Promise<string> {
  const id = orgId.toLowerCase()
  const row = await db.selectFrom('organizations').select('parent_id').where('id', '=', id).executeTakeFirst()
  if (row?.parent_id === project.organizationId) return id
  throw new ServerError(`no organization found with ID ${id}`, { code: 'ORGANIZATION_NOT_FOUND', status: 404 })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function invalid(message: string): ServerError {
  return new ServerError(message, { code: 'REQUEST_INVALID', status: 400 })
}
