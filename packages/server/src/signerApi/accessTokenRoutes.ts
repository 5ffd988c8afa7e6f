import { Hono } from 'hono'
import {
  type AccessTokenClaims,
  type AccessTokenResponse,
  accessTokenSeconds,
  custodyPaths,
  signerApiPaths,
} from 'latchkey-protocol'
import { type Address, isAddress } from 'viem'
import { z } from 'zod'
import { ServerError } from '../platform/errors/ServerError.ts'
import type { AccessTokenKeys } from './accessTokenKeys.ts'
import { readResult } from './custodyClient.ts'
import type { Caller } from './requireProject.ts'
import { forwardForAudience, type stampedRoutes } from './stampedRoutes.ts'
import { findProvenEmail } from './users.ts'

const whoamiSchema = z.object({
  organizationId: z.string(),
  userId: z.string(),
  address: z.custom<Address>((value) => typeof value === 'string' && isAddress(value)),
})

export declare namespace accessTokenRoutes {
  type Deps = stampedRoutes.Deps & {
    keys: AccessTokenKeys
    /** Milliseconds since the epoch. */
    now: () => number
  }
}

/**
 * Adds the route that exchanges a stamped `whoami` for an access token of the caller's project. The audience in the
 * stamped body must be the project, so that a server cannot exchange a stamp it received for another purpose.
 */
export function accessTokenRoutes(deps: accessTokenRoutes.Deps): Hono<Caller> {
  const routes = new Hono<Caller>()
  routes.post(signerApiPaths.accessToken, async (context) => {
    const { project } = context.var
    const { response, audience } = await forwardForAudience(deps, context, custodyPaths.whoami)
    if (audience !== project.id)
      throw new ServerError(`stampedRequest.body must have the member audience with the project id ${project.id}.`, {
        code: 'REQUEST_INVALID',
      })
    const { organizationId, userId, address } = readResult(whoamiSchema, response)
    const email = await findProvenEmail(deps.db, { orgId: organizationId })
    const iat = Math.floor(deps.now() / 1000)
    const claims: AccessTokenClaims = {
      iss: `urn:uuid:${project.organizationId}`,
      aud: project.id,
      sub: `${organizationId}/${userId}`,
      iat,
      exp: iat + accessTokenSeconds,
      address,
      ...(email !== null && { email }),
    }
    const body: AccessTokenResponse = { accessToken: deps.keys.sign(claims), expiresAtMs: claims.exp * 1000 }
    return context.json(body)
  })
  return routes
}
